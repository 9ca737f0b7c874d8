"""Model files (.mco), as MaltParser writes and reads them. One module for each kind of file in the ZIP that a model is."""
