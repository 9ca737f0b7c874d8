"""Model files (.mco), as MaltParser writes and reads them: the ZIP, and one module for each kind of file in it."""
