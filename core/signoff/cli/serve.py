"""`signoff serve`: runs and approvals over HTTP and WebSocket."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import chosen_place, queue_option
from signoff.cli.output import complain

__all__ = ["serve"]

_EPILOG = """\b
Examples:
  signoff policy trust signoff.yaml
  signoff token new phone --scope read --scope decide
  signoff serve --config signoff.yaml --listen 127.0.0.1:8080

\b
Every request needs a token, also through the socket; see: signoff token --help
Runs go on when the server ends, and are there again when it starts.
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--config",
    "settings",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Settings with the agents, tools and rules; it has to be trusted.",
)
@click.option(
    "--listen", metavar="ADDRESS", help="Listen on TCP too, at a loopback address such as 127.0.0.1:8080."
)
@click.option(
    "--socket",
    "socket_path",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The Unix socket (else one in your data directory).",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="Another name of this server, behind a proxy with TLS. Repeatable.",
)
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Where runs are kept.")
@queue_option
def serve(
    *, settings: Path, listen: str | None, socket_path: Path | None, names: tuple[str, ...], data: Path | None
) -> int:
    """Serve the runs API, approvals and the reviewer's page, on a Unix socket."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise click.UsageError(
            f"this needs the server ({error}); install it with: pip install 'signoff[server]'"
        ) from None
    from signoff.config.trust import load_trusted
    from signoff.policy.trust import TrustError
    from signoff.queue import open_review_queue
    from signoff.server.app import application
    from signoff.server.hosted_agents import missing_files
    from signoff.server.json_log import log_as_json
    from signoff.server.page_login import PAGE_NAME, SHARED_NAMES
    from signoff.server.service import Service
    from signoff.server.sockets import ListenError, tcp_socket, unix_socket
    from signoff.server.sockets import serve as serve_app
    from signoff.server.tokens import TokenFile
    from signoff.settings_yaml import ConfigError, Problem

    try:
        config = load_trusted(settings)
    except ConfigError as error:
        for problem in error.problems:
            complain(str(problem))
        return ExitCode.USAGE
    except (TrustError, OSError) as error:
        raise click.UsageError(str(error)) from error
    missing = list(missing_files(config.agents, settings.resolve().parent))
    for name, words in missing:
        complain(str(Problem(str(settings), None, f"agents.{name}", words)))
    if missing:
        return ExitCode.USAGE
    directory = (data or _data_directory()).absolute()
    path = (socket_path or directory / "socket").absolute()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as stack:
        try:
            sockets, hosts = [stack.enter_context(unix_socket(path))], {"localhost", PAGE_NAME}
            stack.callback(path.unlink, missing_ok=True)
            if listen is not None:
                sockets.append(stack.enter_context(tcp_socket(listen)))
        except ListenError as error:
            complain(str(error))
            return ExitCode.QUEUE
        # A queue that cannot be used is told now, and not to the first who asks.
        stack.enter_context(open_review_queue(chosen_place()))
        complain(f"serving at {path}")
        if listen is not None:
            ip, port = sockets[-1].getsockname()[:2]
            hosts |= {f"{name}:{port}" for name in (*SHARED_NAMES, PAGE_NAME)}
            complain(
                f"serving at http://{f'[{ip}]' if ':' in ip else ip}:{port}; in a browser: http://{PAGE_NAME}:{port}"
            )
        origins = {f"http://{host}" for host in hosts} | {f"https://{name.lower()}" for name in names}
        hosts |= {name.lower() for name in names}
        log_as_json(config.log_level)
        service = Service(settings.absolute(), config, directory, chosen_place())
        app = application(service, hosts=frozenset(hosts), origins=frozenset(origins), tokens=TokenFile())
        serve_app(app, sockets)
    return ExitCode.OK


def _data_directory() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_path("signoff", appauthor=False)) / "server"
