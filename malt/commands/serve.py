"""`malt serve`: models as a service, with a page to try them."""

from __future__ import annotations

import socket

from malt.commands import Stopped
from malt.errors import MaltError, UsageError
from malt.mco.container import model_path
from malt.model import own_charsets, read_model
from malt.running.log import logger
from malt.serving.server import Server
from malt.serving.service import Service
from malt.settings.settings import Settings

MEGABYTE = 1 << 20


def run(options: Settings) -> int:
    """Serve until a signal ends it."""
    names = options.repeated.get("config.name", ())
    if not names:
        raise UsageError("which model? -c NAME, for the file NAME.mco that `malt train --text -c NAME` makes")
    _, options = own_charsets(options)
    models = [read_model(model_path(name, options["config.workingdir"]), options) for name in names]
    seconds = float(options["serve.time"])
    service = Service(models, options["serve.jobs"], seconds)
    host, port = options["serve.host"], options["serve.port"]
    try:
        server = Server(
            (host, port),
            service,
            options["serve.size"] * MEGABYTE,
            float(options["serve.wait"]),
            options["serve.connections"],
        )
    except (OSError, UnicodeError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise MaltError(
            f"cannot listen at {host}, port {port}: {reason}; --host and --port choose another place"
        ) from None
    shown = f"[{host}]" if server.address_family == socket.AF_INET6 else host
    try:
        logger.info("Serving %s at http://%s:%d/; Ctrl-C ends it", ", ".join(service.models), shown, server.server_port)
        server.serve_forever()
    except (KeyboardInterrupt, Stopped):
        logger.info("Ending: what is under way may take up to %g seconds", seconds)
        if not server.finish(seconds):
            service.ending.set()
            server.finish(1)
    finally:
        server.server_close()
    return 0
