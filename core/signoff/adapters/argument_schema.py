"""The check of arguments that a reviewer changed against the schema of a tool, which whoever offers it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for
from referencing import Registry

__all__ = ["fitting"]


def fitting(arguments: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments, if they fit the schema. Nothing that it refers to elsewhere is fetched.

    Raises:
        ValueError: They do not, or the schema cannot be used.
    """
    try:
        kind = validator_for(schema)
        kind.check_schema(schema)
        misfit = best_match(kind(schema, registry=Registry()).iter_errors(arguments))
    except Exception as error:  # a foreign schema fails in many ways
        words = str(getattr(error, "message", error))
        raise ValueError(f"the schema of the tool cannot be used to check them: {words}") from error
    if misfit is not None:
        raise ValueError(misfit.message)
    return arguments
