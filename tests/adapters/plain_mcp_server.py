"""A server of MCP without any library, which says of itself what a test cannot get out of a well-behaved one.

Run as a program with the path of a file for the lines that it reads. Its tool ``ask_back`` wants to know more
before it runs; ``leave`` ends it with exit code 7; with the word ``stubborn`` it outlives the end of its input.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("ask_back", "leave", "send")]


def main() -> None:
    """Answer line by line."""
    log = Path(sys.argv[1]).open("ab", buffering=0)  # noqa: SIM115 - as long as this runs
    for line in sys.stdin.buffer:
        log.write(line)
        asked = json.loads(line)
        params = asked.get("params", {})
        if "id" not in asked or "method" not in asked:
            continue
        result: dict[str, object] = {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}
        if asked["method"] == "tools/list":
            result = {"tools": TOOLS}
        elif params.get("name") == "leave":
            sys.exit(7)
        elif params.get("name") == "ask_back" and "requestState" not in params:
            result = {"resultType": "input_required", "inputRequests": {}, "requestState": "state-1"}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\n")
        sys.stdout.flush()
    while "stubborn" in sys.argv:
        time.sleep(1)


if __name__ == "__main__":
    main()
