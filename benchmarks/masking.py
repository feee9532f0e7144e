"""How fast secrets are found in the worst texts for it, which an agent could send: at least 1 MB/s of each.

Each text is one pattern again and again, most often a word that looks like a secret and what makes its words hard
to tell. Times are those of the processor, so that a busy machine changes little.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from signoff.policy.redaction.masking import DEFAULT_REDACTION

LEAST = 1.0
"""Megabytes in a second."""
ROUNDS = 3
SIZE = 300_000
"""Characters of each text."""

_TOKEN = "gh" + "p_" + "a1B" * 6
"""As short as one can be."""

WORST = {
    "passwords of curl": "curl -u a:b1 ",
    "users": "-u a:b ",
    "long options of curl": "curl --user a:b@c ",
    "headers": "cookie: a1bcdef ",
    "queries": "http://a?token=abcdefgh&",
    "queries without a URL": "&token=abcdefg1h",
    "tokens that are words": f"{_TOKEN} ",
    "tokens behind runners": f"env -u {_TOKEN} ",
    "tokens in paths": f"{_TOKEN}/",
    "tokens in one word": f"={_TOKEN}",
    "tokens behind a runner with many options": "sudo -E " * 250 + f"timeout -k A={_TOKEN} ",
    "tokens behind many short words": "curl " + "a " * 60 + "-u a:b1 ",
    "options": "?--password=abcdefg1h ",
    "digits": "1" * 500 + f">& {_TOKEN} ",
    "beginnings of keys": "-----BEGIN PRIVATE KEY-----\n\n",
    "keys in lines": "-----BEGIN PRIVATE KEY-----\\nMIIa\\n-----END PRIVATE KEY-----\\n",
    "beginnings of web tokens": "eyJ.",
    "quotes": "token='\"",
}


def run() -> list[dict[str, Any]]:
    """Measure every text, as one that is run and as one that is not: a row for each speed in MB/s."""
    return [
        {"name": f"{name}, {kind}", "value": _speed(pattern, command=command), "unit": "MB/s"}
        for name, pattern in WORST.items()
        for kind, command in (("command", True), ("text", False))
    ]


def main() -> int:
    """Print the table; the exit code says whether all are as fast as they have to be."""
    rows = run()
    for row in rows:
        print(f"{row['name']:<60} {row['value']:>10,.1f} {row['unit']}")
    return 0 if all(row["value"] >= LEAST for row in rows) else 1


def _speed(pattern: str, *, command: bool) -> float:
    text = (pattern * (SIZE // len(pattern) + 1))[:SIZE]
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        DEFAULT_REDACTION.spans(text, command=command)
        times.append(time.process_time() - begin)
    return len(text.encode()) / 1e6 / min(times)


if __name__ == "__main__":
    sys.exit(main())
