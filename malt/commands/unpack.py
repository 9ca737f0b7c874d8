"""`malt unpack`: the files inside a model, in a folder. MaltParser's -m unpack."""

from __future__ import annotations

from pathlib import Path

from malt.data.leftovers import temporary_folder
from malt.errors import MaltError, counted
from malt.mco.container import model_file, model_name, model_path, open_container
from malt.running.log import logger
from malt.settings.settings import Settings


def run(options: Settings) -> int:
    """Unpack one model beside its file, or one with an address (-u) where models are (-w).

    A folder that is there already is left alone.
    """
    path = model_file(options)
    with open_container(path) as container:
        if options["config.url"]:
            path = model_path(container.folder, options["config.workingdir"])
        folder = Path(path).with_name(model_name(path))
        if folder.exists():
            raise MaltError(f"{folder}: this exists already; move it away first")
        contents = {name: container.read(name) for name in container.names}  # nothing is made if one of them is damaged
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder(folder.parent, ".unpack.") as beside:  # whole, or not at all
            made = beside / folder.name
            made.mkdir()
            for name, content in contents.items():
                (made / name).write_bytes(content)
            made.rename(folder)
    except OSError as error:
        raise MaltError(f"{folder}: {error.strerror or error}; nothing was written") from None
    logger.info("%s in %s", counted(len(contents), "file"), folder)
    return 0
