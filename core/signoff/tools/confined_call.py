"""Functions of `tools.py` that run in a process of their own, in the sandbox of the operating system."""

from __future__ import annotations

import functools
import inspect
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signoff.canonical import canonical

if TYPE_CHECKING:
    from signoff.tools.os_sandbox import OSSandbox

__all__ = ["ConfinedCallError", "confined"]

# All that is printed goes to standard error, so that nothing of it passes for the result.
_CHILD = """
import asyncio, importlib.util, inspect, json, os, sys
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
call = json.load(sys.stdin)
spec = importlib.util.spec_from_file_location("signoff_custom_tools", call["file"])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
try:
    spec.loader.exec_module(module)
    result = getattr(module, call["function"])(**call["arguments"])
    if inspect.isawaitable(result):
        async def awaited(): return await result
        result = asyncio.run(awaited())
    answer = json.dumps({"result": result})
except BaseException as error:
    answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
answers.write(answer)
answers.close()
"""


class ConfinedCallError(RuntimeError):
    """A confined function failed; the message has the type and the words of its error."""


def confined(function: types.FunctionType, file: str, os_sandbox: OSSandbox) -> types.FunctionType:
    """Return a function that runs another one in the sandbox, as a command that is not asked about.

    Arguments and result are JSON. Python and what it has installed are read-only for it.

    Args:
        function: A function of the file.
        file: The file, which is loaded again for each call.
        os_sandbox: The sandbox.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = signature.bind(*args, **kwargs).arguments
        told = canonical({"file": file, "function": function.__name__, "arguments": dict(arguments)})
        pipe = subprocess.PIPE
        argv = [sys.executable, "-I", "-c", _CHILD]
        started = os_sandbox.start(
            argv, approved=False, reads=[*_python(), file], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        try:
            answer, _ = started.process.communicate(told.encode())
        except BaseException:  # such as an interrupt
            started.process.kill()
            started.process.wait()
            raise
        finally:
            kept = started.swept()
        if not answer:
            raise ConfinedCallError(
                f"{function.__name__} ended with {started.process.returncode}, without a result"
            )
        found = json.loads(answer)
        if "error" in found:
            raise ConfinedCallError(found["error"])
        if kept:
            raise ConfinedCallError("; ".join(kept))
        return found["result"]

    assert isinstance(call, types.FunctionType)
    return call


def _python() -> list[str]:
    """The directories of this Python, with what it has installed, and of signoff, which may lie elsewhere."""
    return [sys.prefix, sys.base_prefix, str(Path(__file__).parent.parent)]
