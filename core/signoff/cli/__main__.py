"""Entry point of ``python -m signoff.cli``, the same as ``signoff``."""

from __future__ import annotations

from signoff.cli.main import main

if __name__ == "__main__":
    main()
