"""Plans: the search as data, how it is read and checked, and the facts that its conditions ask for."""
