"""Which tools a plain object has.

An object says so itself with an attribute `tools`, a mapping from names to functions: names that the model calls,
and that the object's hooks are asked by. `FileSandbox` and `ShellTool` do:

```python
class Mailbox:
    @property
    def tools(self):
        return {"send_mail": self.send}
```

Without that attribute its tools are its public methods: the functions of its class and its bases whose names do
not begin with an underscore, in the order in which they are written. Hooks of the approval, properties, static
methods and class methods are none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

__all__ = ["tools_of"]

_HOOKS = frozenset({"check_approval", "needs_approval", "approval_request"})


def tools_of(given: object) -> dict[str, Callable[..., Any]]:
    """The tools of an object by name, as functions that are ready to be called.

    Args:
        given: Any object that is not a class.

    Raises:
        TypeError: It has no tools, or names one that cannot be called.
    """
    named = getattr(given, "tools", None)
    found = dict(named) if isinstance(named, Mapping) else _public_methods(given)
    if not found or inspect.isclass(given):
        raise TypeError(f"{given!r} is neither a toolset nor an object with public methods that could be tools")
    for name, function in found.items():
        if not callable(function):
            raise TypeError(f"{given!r} names a tool {name!r} that cannot be called: {function!r}")
    return found


def _public_methods(given: object) -> dict[str, Callable[..., Any]]:
    kind = type(given)
    written = dict.fromkeys(name for base in reversed(kind.__mro__) for name in vars(base))
    return {name: getattr(given, name) for name in written if _is_public_method(kind, name)}


def _is_public_method(kind: type, name: str) -> bool:
    if name.startswith("_") or name in _HOOKS:
        return False
    return isinstance(inspect.getattr_static(kind, name), FunctionType)
