"""`signoff demo`: real agents and the screen, in a throw-away folder."""

from __future__ import annotations

import click

__all__ = ["demo"]


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, resolve_path=True),
    help="Where the demo works; a temporary folder by default, removed afterwards.",
)
@click.option("--headless", is_flag=True, help="Without a terminal: a pilot reads everything and decides.")
def demo(*, folder: str | None, headless: bool) -> int:
    """Start real agents on a throw-away project and open the screen on them."""
    from signoff.demo.run import run_demo

    return run_demo(folder=folder, headless=headless)
