"""Parsers as other libraries have them: scikit-learn, NLTK, spaCy, and partitions of Spark, Dask and pandas."""
