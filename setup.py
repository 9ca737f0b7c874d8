"""The compiled kernel, and the compiled catalogue of options; all else is in pyproject.toml.

MALT_DEBUG=1 builds it for finding faults: bounds are checked, and the compiler's sanitizers watch the memory and what
C++ leaves undefined.
How tests run with it stands in .ci/run. What it compiles lies beside what an ordinary build compiles.
"""

import json
import os
import sys
from pathlib import Path

import yaml
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

FOLDER, PACKAGE = "malt/kernel", "malt.kernel"
OPTIONS = "options"
SHARED = "_cyutility"  # Cython's own code for arrays, once instead of in every module
DEBUG = os.environ.get("MALT_DEBUG", "") not in ("", "0")
BUILD = "build/debug" if DEBUG else "build"
SANITIZER = (
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"] if DEBUG and sys.platform != "win32" else []
)

# The loops of these run millions of times; for the others -O2 is as good and compiles faster.
HOT = (
    "arcs", "chart", "classifiers", "easyfirst", "features", "guide", "instances", "lemmatizer", "oraclesearch",
    "reader", "solver", "spanning", "structured", "symbols", "system", "tagger", "tokenizer", "walk", "weights",
    "words", "writer",
)  # fmt: skip


def arguments(name: str, standard: str) -> list[str]:
    """What the compiler is told. No fused multiply-add, no fast-math: the last bit of a sum decides ties."""
    if sys.platform == "win32":
        return [f"/std:{standard}", "/Od" if DEBUG else "/O2", "/fp:precise"]
    kind = ["-O0", "-g1", "-fno-omit-frame-pointer", *SANITIZER] if DEBUG else ["-O3" if name in HOT else "-O2", "-g0"]
    return [f"-std={standard}", "-ffp-contract=off", "-fvisibility=hidden", *kind]


def module(name: str, source: str) -> Extension:
    """A module of the kernel."""
    written = source.endswith(".pyx")  # otherwise it is Cython's own, which is in C
    return Extension(
        f"{PACKAGE}.{name}",
        [source],
        include_dirs=[FOLDER],
        language="c++" if written else None,
        extra_compile_args=arguments(name, "c++17" if written else "c11"),
        extra_link_args=SANITIZER,
    )


def outdated(made: Path) -> bool:
    """Whether a file may have been made with other options than those that stand here now."""
    return made.exists() and made.stat().st_mtime < Path(__file__).stat().st_mtime


def compile_catalogue() -> None:
    """Write down what the YAML of the catalogue says, and of which texts: a program that finds others reads them."""
    texts = {path.name: path.read_bytes().decode() for path in sorted(Path(OPTIONS).glob("*.yaml"))}
    content = {name: yaml.load(text, Loader=yaml.BaseLoader) for name, text in texts.items()}
    made = json.dumps({"texts": texts, "content": content}, ensure_ascii=False)
    Path(OPTIONS, "compiled.json").write_text(made, encoding="utf-8")


class Build(build_ext):
    """Puts the modules beside their sources even where those of the other kind of build are newer."""

    def copy_extensions_to_source(self) -> None:
        self.force = True
        super().copy_extensions_to_source()


if __name__ == "__main__":  # Cython's processes read this file, too
    compile_catalogue()
    sources = sorted(Path(FOLDER).glob("*.pyx"), key=lambda path: -path.stat().st_size)  # what takes long begins first
    modules = [module(path.stem, path.as_posix()) for path in sources]
    setup(
        ext_modules=cythonize(
            [*modules, module(SHARED, f"{FOLDER}/{SHARED}.c")],
            build_dir=BUILD,
            force=any(outdated(Path(BUILD, path).with_suffix(".cpp")) for path in sources),
            nthreads=os.cpu_count() or 1,
            compiler_directives={
                "language_level": 3,
                "boundscheck": DEBUG,
                "wraparound": False,
                "cdivision": True,
                "initializedcheck": DEBUG,
            },
            shared_utility_qualified_name=f"{PACKAGE}.{SHARED}",
        ),
        cmdclass={"build_ext": Build},
        options={"build": {"build_base": BUILD}, "build_ext": {"parallel": True}},
    )
