"""`signoff demo`: real agents and the screen, in a throw-away folder."""

from __future__ import annotations

from pathlib import Path

import click

from signoff.private_files import make_directory

__all__ = ["demo"]


def _create(_: click.Context, __: click.Parameter, folder: str | None) -> str | None:
    if folder is None:
        return None
    try:
        make_directory(Path(folder))
    except OSError as error:
        raise click.BadParameter(f"{folder!r} cannot be created: {error.strerror}") from error
    return folder


@click.command(short_help="See it work, in a throw-away folder.")
@click.option(
    "--folder",
    type=click.Path(resolve_path=True),
    callback=_create,
    help="Where the demo works; a new temporary folder by default. It is kept.",
)
@click.option("--headless", is_flag=True, help="Without a terminal: a pilot reads everything and decides.")
def demo(*, folder: str | None, headless: bool) -> int:
    """Start real agents on a throw-away project and open the screen on them."""
    try:
        from signoff.demo.run import run_demo
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("signoff"):
            raise
        message = f"the demo needs {error.name}, which is not installed; install signoff with the extra 'demo'"
        raise click.UsageError(message) from error
    return run_demo(folder=folder, headless=headless)
