"""How fast hostile text is made visible, beside a program that only looks for one character (`str.translate`).

Megabytes are of UTF-8. Times are those of the processor, so that a busy machine changes little. The targets are
50 MB/s for plain ASCII and 5 MB/s for hostile text. Where each sign stands is worked out when somebody asks, and
is measured apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from signoff.present import findings, reveal

ROUNDS = 3
SIZE = 4_000_000
"""Characters of each text."""

_ATTACKS = (
    "git status \x1b[8m; rm -rf ~\x1b[0m", "echo hi \x1b]52;c;cm0gLXJmIH4K\x07", "cat a\u202eb.txt", "ls\xa0-la",
    "access = 'user\u202e \u2066// admin check\u2069 \u2066'", "/tmp/im\u200bportant", "src/\u0430dmin.py",
    "Looks fine\U000e0061\U000e0070\U000e0070", "rm -rf ~\x08\x08\x08\x08ls -la", "https://g\u03bfogle.com/",
    "ls a\u0300\u0301\u0302\u0303\u0304\u0305", "a\ue000b\u0378c\ud800", "ls" + " " * 60 + "; rm -rf ~", "\x9b31m",
)  # fmt: skip
"""One of each sort; a third of these characters must not stay as they are."""

_PARTS = {
    "plain ASCII": "def total(prices):\n    return sum(prices)  # in cents\n\n",
    "Russian and Chinese": "Итого: пять рублей.\n总计：五元。\n",
    "hostile": "\n".join(_ATTACKS) + "\n",
    "every second character hidden": "a\x1b",
    "piled-up marks": "a" + "\u0301" * 5,
}


_ONE = {0x1B: "^["}


def run() -> list[dict[str, Any]]:
    """Measure every text: one row for each speed in MB/s, and for how many times longer than the floor it took."""
    rows: list[dict[str, Any]] = []
    for name, part in _PARTS.items():
        text = part * (SIZE // len(part))
        megabytes = len(_encoded(text)) / 1e6
        floor = _seconds(lambda text: text.translate(_ONE), text)
        whole = _seconds(lambda text: reveal(text, "content"), text)
        placed = _seconds(lambda text: len(reveal(text, "content").hidden), text)
        found = _seconds(lambda text: findings(text, "content"), text)
        rows += [
            {"name": f"{name}: reveal", "value": megabytes / whole, "unit": "MB/s"},
            {"name": f"{name}: reveal, with all places", "value": megabytes / placed, "unit": "MB/s"},
            {"name": f"{name}: findings only", "value": megabytes / found, "unit": "MB/s"},
            {"name": f"{name}: floor, translate", "value": megabytes / floor, "unit": "MB/s"},
            {"name": f"{name}: reveal / floor", "value": whole / floor, "unit": "x"},
        ]
    return rows


def main() -> None:
    """Print the table."""
    for row in run():
        print(f"{row['name']:<56} {row['value']:>10,.1f} {row['unit']}")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _seconds(work: Callable[[str], object], text: str) -> float:
    """Best time of some rounds, in seconds of the processor: what disturbs only adds to it."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work(text)
        times.append(time.process_time() - begin)
    return min(times)


if __name__ == "__main__":
    main()
