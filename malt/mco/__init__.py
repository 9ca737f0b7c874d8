"""Model files (.mco), as MaltParser writes and reads them: a ZIP with a few texts, and later the classifiers, in one folder."""
