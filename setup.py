"""The compiled kernel; all else is in pyproject.toml.

MALT_DEBUG=1 builds it for finding faults: bounds are checked, and the compiler's address sanitizer watches the memory
(MALT_DEBUG=bounds leaves the sanitizer out). To run that, LD_PRELOAD has to name `c++ -print-file-name=libasan.so`.
"""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

FOLDER = "malt/kernel"
SHARED = "malt.kernel._cyutility"  # Cython's own code for arrays, once instead of in every module

# The loops of these run millions of times; for the others -O2 is as good and compiles faster.
HOT = ("classifiers", "features", "guide", "instances", "reader", "solver", "symbols", "system", "walk", "writer")
OTHER = ("columns", "java", "projectivity", "structure")

DEBUG = os.environ.get("MALT_DEBUG", "")


def arguments(level: str, language: str = "c++") -> list[str]:
    """What the compiler is told. No fused multiply-add, no fast-math: the last bit of a sum decides ties."""
    if sys.platform == "win32":
        return ["/std:c++17", "/O2", "/fp:precise"]
    exact = ["-std=c++17" if language == "c++" else "-std=c11", "-ffp-contract=off", "-fvisibility=hidden"]
    if DEBUG:
        sanitizer = [] if DEBUG == "bounds" else ["-fsanitize=address", "-fno-omit-frame-pointer"]
        return [*exact, "-O1", "-g", *sanitizer]
    return [*exact, level, "-g0"]


def module(name: str, level: str) -> Extension:
    """A module of the kernel."""
    return Extension(
        f"malt.kernel.{name}",
        [f"{FOLDER}/{name}.pyx"],
        include_dirs=[FOLDER],
        language="c++",
        extra_compile_args=arguments(level),
        extra_link_args=["-fsanitize=address"] if DEBUG and DEBUG != "bounds" else [],
    )


shared = Extension(SHARED, [f"{FOLDER}/_cyutility.c"], extra_compile_args=arguments("-O2", "c"))
setup(
    ext_modules=cythonize(
        [shared, *(module(name, "-O3") for name in HOT), *(module(name, "-O2") for name in OTHER)],
        build_dir="build",
        compiler_directives={
            "language_level": 3,
            "boundscheck": bool(DEBUG),
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": bool(DEBUG),
        },
        shared_utility_qualified_name=SHARED,
    )
)
