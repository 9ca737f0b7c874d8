"""`malt unpack`: the files inside a model, in a folder. MaltParser's -m unpack."""

from __future__ import annotations

from pathlib import Path

from malt.errors import MaltError, UsageError
from malt.files import open_output
from malt.log import logger
from malt.mco.container import model_path, open_container
from malt.settings import Settings


def run(options: Settings) -> int:
    """Unpack one model beside its file; a folder that is there already is left alone."""
    name = options.files[0] if options.files else options["config.name"]
    if not name:
        raise UsageError("which model? malt unpack NAME, for the file NAME.mco")
    path = model_path(name, options["config.workingdir"])
    with open_container(path) as container:
        folder = Path(path).with_suffix("") if not options["config.workingdir"] else Path(path).parent / container.folder
        if folder.exists():
            raise MaltError(f"{folder}: this exists already; move it away first")
        folder.mkdir(parents=True)
        for entry in container.names:
            with open_output(str(folder / entry)) as stream:
                stream.write(container.read(entry))
    logger.info("%d files in %s", len(container.names), folder)
    return 0
