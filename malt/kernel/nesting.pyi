# Nothing here is for Python: malt.kernel.structure has it.
