"""Connections of agents to the queue, with names that a person recognizes."""

from __future__ import annotations

import os
import re
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signoff.queue import AgentInfo, open_agent_queue

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue

__all__ = ["connect_agent", "connect_caller", "program_name"]

_RUNNERS = re.compile(r"|-|-[cm]|__(mp_)?main__|<\w+>|(python|pypy)[\d.]*w?")
"""Names of the programs that run a program, where the program itself has no name."""

_KERNELS = frozenset({"ipykernel_launcher", "ipykernel", "colab_kernel_launcher"})
_SUFFIXES = frozenset({".py", ".pyw", ".pyz", ".exe"})
_SAYS_NOTHING = frozenset({"agent", "LangGraph"})
"""Names that frameworks give to agents without a name."""


def connect_agent(
    name: str | None = None,
    *,
    session: str | None = None,
    place: str | os.PathLike[str] | None = None,
    cwd: str | None = None,
    via: str = "python",
    program: str | None = None,
) -> AgentQueue:
    """Open a queue for asking.

    Args:
        name: The name of the agent on screen; ``SIGNOFF_AGENT`` or the program's name by default.
        session: Identity of this conversation; ``SIGNOFF_SESSION`` or a new one by default.
        place: Directory, name or URL of the queue; ``SIGNOFF_QUEUE`` or the default queue otherwise.
        cwd: Absolute working directory of the agent; the process's own by default.
        via: Adapter or framework the calls come through; a call may name another one.
        program: The program that the agent runs in; `program_name` by default.

    Raises:
        QueueError: The queue cannot be opened; the message says what to do.
    """
    program = program_name() if program is None else program
    info = AgentInfo(
        name=name or os.environ.get("SIGNOFF_AGENT") or program or "agent",
        session=session or os.environ.get("SIGNOFF_SESSION") or f"s-{uuid.uuid4().hex[:8]}",
        cwd=cwd or str(Path.cwd()),
        via=via,
        program=program,
    )
    return open_agent_queue(info, place)


def connect_caller(metadata: Mapping[str, Any], *, cwd: str | None = None) -> AgentQueue:
    """Open the default queue for the first call of an agent that has no connection yet.

    Args:
        metadata: Metadata of the call, see `ApprovalContext`: ``caller`` names the agent if ``SIGNOFF_AGENT`` does
            not.
        cwd: Absolute working directory of the agent; the process's own by default.

    Raises:
        QueueError: The queue cannot be opened; the message says what to do.
    """
    caller = str(metadata.get("caller") or "")
    name = os.environ.get("SIGNOFF_AGENT") or ("" if caller in _SAYS_NOTHING else caller)
    return connect_agent(name, cwd=cwd, via=str(metadata.get("via") or "python"))


def program_name() -> str:
    """Name of the running program for people: its script, module or notebook.

    A program without a name, such as ``python -c``, is named after its working directory.
    """
    main = sys.modules.get("__main__")
    module = str(getattr(getattr(main, "__spec__", None), "name", None) or "").removesuffix(".__main__")
    script = Path((getattr(sys, "argv", None) or [""])[0])
    if script.stem == "__main__":  # python DIRECTORY/__main__.py
        script = script.absolute().parent
    name = script.stem if script.suffix in _SUFFIXES else script.name
    names = [each for each in (module, name) if not _RUNNERS.fullmatch(each)]
    if not _KERNELS.isdisjoint(names):
        notebook = os.environ.get("JPY_SESSION_NAME") or getattr(main, "__vsc_ipynb_file__", None)
        return Path(str(notebook)).stem if notebook else f"notebook in {_directory()}"
    if not names and "_pytest" in sys.modules:  # a worker process of it
        return "pytest"
    return names[0] if names else f"python in {_directory()}"


def _directory() -> str:
    return Path.cwd().name or "/"
