"""An agent of the Agent Client Protocol without any library, which says what a test wants, byte by byte.

Run as a program with the path of a file for the lines that it reads. What it shall say comes in notifications
``_say``, in base64. It ends with exit code 7 when it is asked to ``_leave``.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

ANSWERS = {
    "initialize": {"protocolVersion": 1, "agentInfo": {"name": "parrot", "title": "Parrot"}},
    "session/new": {
        "sessionId": "s1",
        "modes": {
            "currentModeId": "default",
            "availableModes": [
                {"id": "default", "name": "Default"},
                {"id": "yolo", "name": "YOLO", "description": "approves all tools"},
            ],
        },
        "configOptions": [
            {"id": "model", "category": "model", "type": "select", "currentValue": "a", "options": []},
            {"id": "careless", "type": "boolean", "currentValue": False},
        ],
    },
}


def main() -> None:
    """Answer line by line."""
    log = Path(sys.argv[1]).open("ab", buffering=0)  # noqa: SIM115 - as long as this runs
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if asked.get("method") == "_say":
            sys.stdout.buffer.write(base64.b64decode(asked["params"]["line"]) + b"\n")
        else:
            log.write(line)
            if asked.get("method") == "_leave":
                sys.exit(7)
            if "method" in asked and "id" in asked and asked["method"] != "_silent":
                result = ANSWERS.get(asked["method"], {})
                sys.stdout.buffer.write(
                    json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode() + b"\n"
                )
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
