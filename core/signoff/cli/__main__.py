"""Lets ``python -m signoff.cli`` stand for ``signoff``."""

from __future__ import annotations

from signoff.cli.main import main

if __name__ == "__main__":
    main()
