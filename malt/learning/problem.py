"""Instances in the form that other libraries learn from."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from malt.errors import MaltError
from malt.kernel.instances import Instances


def matrix(instances: Instances, features: int) -> Any:
    """The instances as a sparse matrix of SciPy, with a row per instance and a column per feature."""
    from scipy.sparse import csr_matrix

    values = instances.values()
    if values is None:
        values = numpy.ones(instances.features)
    return csr_matrix((values, instances.rows(), instances.starts()), shape=(len(instances), features))


def classes(instances: Instances) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
    """The class codes in order of first appearance, and the place of each instance's code among them.

    >>> instances = Instances()
    >>> for code in (5, 3, 5, 9):
    ...     instances.add(code, [0])
    >>> [array.tolist() for array in classes(instances)]
    [[5, 3, 9], [0, 1, 0, 2]]
    """
    if len(instances) == 0:
        raise MaltError("there are no training instances; the treebank may be empty")
    codes, first, which = numpy.unique(instances.classes(), return_index=True, return_inverse=True)
    order = numpy.argsort(first)
    place = numpy.empty(len(codes), dtype=numpy.int64)
    place[order] = numpy.arange(len(codes))
    return codes[order], place[which]
