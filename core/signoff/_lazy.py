"""Names of a package that are loaded on first use (https://peps.python.org/pep-0562/)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["late_names"]


def late_names(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package.

    Args:
        package: Its full name.
        homes: The names that come from each of its modules, or of another module by its full name.
    """
    module_of = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        module = module_of.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        full = module if module.startswith("signoff.") else f"{package}.{module}"
        return getattr(importlib.import_module(full), name)

    return load
