"""Plans: the search as data, how it is read, the steps that it is made of, and the facts that they ask for."""
