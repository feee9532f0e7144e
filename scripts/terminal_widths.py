"""Measure in how many cells terminal emulators draw each character, by asking them where the cursor went.

    xvfb-run -s "-screen 0 1400x900x24" python scripts/terminal_widths.py [DIRECTORY]

Every terminal of `TERMINALS` is started with this script inside, which writes characters and asks for the place
of the cursor behind each. Answers are kept in the directory (default: a new one): what is there is not measured
again. From all of them come the table that the tests know, ``tests/present/terminal_widths.txt``, and what
`reveal` does not let through, ``core/signoff/present/reveal/widths.py``.

The packages are those of Debian 12; xterm.js, which draws the terminals of editors, comes from npm
(``npm install @xterm/headless @xterm/addon-unicode11`` in the directory).
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
import tty
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests/present/terminal_widths.txt"
DATA = ROOT / "core/signoff/present/reveal/widths.py"

TERMINALS: dict[str, tuple[str, list[str]]] = {
    "alacritty": ("alacritty", ["alacritty", "-e"]),
    "foot": ("foot", ["foot", "-e"]),
    "kitty": ("kitty", ["kitty"]),
    "konsole": ("konsole", ["dbus-run-session", "konsole", "--nofork", "-e"]),
    "mlterm": ("mlterm", ["mlterm", "-e"]),
    "st": ("stterm", ["st", "-e"]),
    "tmux": ("tmux", ["tmux", "-L", "widths", "-f", "/dev/null", "new-session", "-d", "-x", "100"]),
    "urxvt": ("rxvt-unicode", ["urxvt", "-e"]),
    "vte": ("libvte-2.91-0", ["dbus-run-session", "xfce4-terminal", "--disable-server", "-x"]),
    "xterm": ("xterm", ["xterm", "-e"]),
    "xterm.js": ("", []),
}
"""Package and command of each terminal; what runs inside follows."""

LONGEST_SECONDS = 300
AT_ONCE = 400
"""Questions in one go: their answers have to fit into the buffer of a pseudo-terminal."""

LAST = 0x3FFFF
"""Beyond there are no characters but tags, private ones and those that are not assigned."""
LAST_IN_CONTEXT = 0x1FFFF
_ANSWER = re.compile(rb"\x1b\[\d+;(\d+)R")
_NARROW, _WIDE = "a", "\u4e2d"

_SELECTED = (
    "\u2764\u260e\u2708\u2600\u00a9\u2122\u2139\u2194\u25b6\u2714\u26a0\u2b50\u231a\U0001f44d\u203c\u3030\u3297#0"
)
_FAMILY = ("\U0001f468", "\U0001f469", "\U0001f467", "\U0001f466")
_FLAG = "\U0001f1eb\U0001f1f7"
CLUSTERS = [
    *("\u200d".join(_FAMILY[:count]) for count in (2, 3, 4)),
    "\U0001f469\U0001f3fd\u200d\U0001f4bb", "\u2764\ufe0f\u200d\U0001f525", "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001f3f4\u200d\u2620\ufe0f", "\U0001f9d1\u200d\U0001f91d\u200d\U0001f9d1", "\U0001f415\u200d\U0001f9ba",
    *(base + chr(tone) for base in "\U0001f44d\u261da" for tone in range(0x1F3FB, 0x1F400)),
    *(base + selector for base in _SELECTED for selector in "\ufe0e\ufe0f"),
    *(base + selector + "\u20e3" for base in "019#*" for selector in ("", "\ufe0f")),
    _FLAG, _FLAG * 2, _FLAG[0], _FLAG + _FLAG[0], f"{_FLAG[0]}a{_FLAG[1]}",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    *(["한", "하", "ᅡᆫ", "ᄒᆫ", "각", "ꥠᅡ", "ᄒힰ", "ᄒᆞᆫ"]),
    *(base + "\u0301" * count for base in "e\u4e2d\U0001f44d" for count in range(1, 5)),
    *(["a҉", "a⃝", "a̴", "नमस्ते", "हिन्दी", "क्ष"]),
    *(["श्री", "ক্ষ", "কো", "தமிழ்", "తెలుగు"]),
    *(["ಕನ್ನಡ", "ที่นี่", "น้ำ", "ນ້ຳ", "မြန်မာ"]),
    *(["ខ្មែរ", "བོད", "שָׁלוֹם", "بِسْمِ"]),
    *(["لا", "لله", "مرحبا", "ｶﾞ", "ガ", "한국어"]),
]  # fmt: skip
"""What is written with more than one character, of each kind."""

BRIDGE = """
const {Terminal} = require('@xterm/headless'), {Unicode11Addon} = require('@xterm/addon-unicode11');
const terminal = new Terminal({cols: 100, rows: 30, allowProposedApi: true});
terminal.loadAddon(new Unicode11Addon());
terminal.unicode.activeVersion = '11';
terminal.onData(answer => process.stdout.write(answer));
process.stdin.on('data', data => terminal.write(data));
"""
"""Makes a terminal of two pipes, with the tables that VS Code sets."""


def questions() -> dict[str, list[str]]:
    """What is written, by the way in which it is asked."""
    codes = [code for code in range(0x20, LAST + 1) if not _has_no_width(code)]
    near = [chr(code) for code in codes if code <= LAST_IN_CONTEXT]
    return {
        "alone": [_NARROW + chr(code) for code in codes],
        "behind a wide one": [_WIDE + char for char in near],
        "twice": [_NARROW + char + char for char in near],
        "clusters": CLUSTERS,
    }


def _has_no_width(code: int) -> bool:
    """Controls, surrogates, private ones, and what is never a character."""
    return 0x7F <= code < 0xA0 or 0xD800 <= code < 0xF900 or code & 0xFFFE == 0xFFFE


# Inside the terminal.


def inside(answers: Path) -> None:
    """Ask the terminal on standard input and output, and write down what it says."""
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        time.sleep(1)  # some are not of their size yet
        widths = {name: list(_asked(texts)) for name, texts in questions().items()}
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)
    answers.with_suffix(".part").write_text(json.dumps(widths))
    answers.with_suffix(".part").rename(answers)


def _asked(texts: Sequence[str]) -> Iterator[int]:
    for start in range(0, len(texts), AT_ONCE):
        piece = texts[start : start + AT_ONCE]
        os.write(1, "".join(f"\r\x1b[K{text}\x1b[6n" for text in piece).encode())
        said = b""
        while len(columns := _ANSWER.findall(said)) < len(piece):
            if not select.select([0], [], [], 30)[0]:
                raise TimeoutError(f"{len(columns)} answers of {len(piece)}, from {piece[0]!a}")
            said += os.read(0, 1 << 16)
        yield from (int(column) - 1 for column in columns)


# Outside.


def measure(name: str, folder: Path) -> None:
    """Have a terminal answer all questions."""
    answers = folder / f"{name}.json"
    command = [sys.executable, __file__, "--inside", str(answers)]
    if name == "xterm.js":
        _bridged(command, folder)
        return
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1"}
    compositor = None
    if name == "foot":
        environment |= {"WAYLAND_DISPLAY": "widths", "XDG_RUNTIME_DIR": str(folder)}
        compositor = subprocess.Popen(["weston", "--backend=x11-backend.so", "--socket=widths"], env=environment)
        time.sleep(3)
    terminal = subprocess.Popen([*TERMINALS[name][1], *command], env=environment)
    until = time.monotonic() + LONGEST_SECONDS
    while not answers.exists() and time.monotonic() < until:
        time.sleep(0.5)
    for process in filter(None, (terminal, compositor)):
        process.terminate()
        process.wait()


def _bridged(command: Sequence[str], folder: Path) -> None:
    """Run a command in a pseudo-terminal that xterm.js draws."""
    drawn = subprocess.Popen(["node", "-e", BRIDGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
    assert drawn.stdin is not None
    assert drawn.stdout is not None
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    asking = subprocess.Popen(command, stdin=theirs, stdout=theirs)
    while asking.poll() is None:
        ready, _, _ = select.select([ours, drawn.stdout], [], [], 0.5)
        if ours in ready:
            os.write(drawn.stdin.fileno(), os.read(ours, 1 << 16))
        if drawn.stdout in ready:
            os.write(ours, os.read(drawn.stdout.fileno(), 1 << 16))
    drawn.terminate()
    drawn.wait()


def version(name: str, folder: Path) -> str:
    """The version of a terminal."""
    if name == "xterm.js":
        return str(json.loads((folder / "node_modules/@xterm/headless/package.json").read_text())["version"])
    query = ["dpkg-query", "--show", "--showformat=${Version}", TERMINALS[name][0]]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout


# The tables.


def widths_of(answers: Mapping[str, Sequence[int]]) -> dict[int, int]:
    """The width of each code point for one terminal; -1 where it depends on what stands before."""
    asked = questions()
    alone = {ord(text[1]): width - 1 for text, width in zip(asked["alone"], answers["alone"], strict=True)}
    wide = {
        ord(text[1]): width - 2
        for text, width in zip(asked["behind a wide one"], answers["behind a wide one"], strict=True)
    }
    twice = {ord(text[1]): width - 1 for text, width in zip(asked["twice"], answers["twice"], strict=True)}
    return {
        code: width if wide.get(code, width) == width and twice.get(code, 2 * width) == 2 * width else -1
        for code, width in alone.items()
    }


def table(versions: Mapping[str, str], told: Mapping[str, Mapping[str, Sequence[int]]]) -> str:
    """The table for the tests: one width where all agree, else one for each terminal."""
    each = [widths_of(answers) for answers in told.values()]
    rows = ["# Cells for each code point, and for clusters of them. Made by scripts/terminal_widths.py."]
    rows += ["# One number where all terminals agree, else one for each; -1: it depends on what stands before."]
    rows += [f"terminals: {', '.join(f'{name} {number}' for name, number in versions.items())}"]
    for first, last, widths in _runs({code: tuple(found[code] for found in each) for code in each[0]}):
        rows.append(f"{first:04X}-{last:04X} {_row(widths)}")
    for at, cluster in enumerate(CLUSTERS):
        codes = "+".join(f"{ord(char):04X}" for char in cluster)
        rows.append(f"{codes} {_row([answers['clusters'][at] for answers in told.values()])}")
    return "\n".join(rows) + "\n"


def _row(widths: Sequence[int]) -> str:
    return str(widths[0]) if len(set(widths)) == 1 else " ".join(map(str, widths))


def _runs(widths: Mapping[int, tuple[int, ...]]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Code points in a row with the same widths."""
    for (_, found), run in groupby(widths.items(), lambda item: (item[0] - _place[item[0]], item[1])):
        codes = [code for code, _ in run]
        yield codes[0], codes[-1], found


_place = {ord(text[1]): place for place, text in enumerate(questions()["alone"])}


def disputed(told: Mapping[str, Mapping[str, Sequence[int]]]) -> Iterable[tuple[int, int]]:
    """Ranges of code points with which terminals disagree, or with which Rich, which lays our rows out, does."""
    from rich.cells import cell_len

    each = [widths_of(answers) for answers in told.values()]
    codes = [code for code in each[0] if {found[code] for found in each} != {cell_len(chr(code))}]
    for _, run in groupby(enumerate(codes), lambda item: item[1] - item[0]):
        found = [code for _, code in run]
        yield found[0], found[-1]


def main(folder: Path) -> None:
    """Measure what is not measured yet, and write both tables."""
    for name in TERMINALS:
        if not (folder / f"{name}.json").exists():
            print(name, flush=True)
            measure(name, folder)
    told = {name: json.loads((folder / f"{name}.json").read_text()) for name in TERMINALS}
    TABLE.write_text(table({name: version(name, folder) for name in told}, told))
    ranges = (f"{first:X}-{last:X}" if last > first else f"{first:X}" for first, last in disputed(told))
    data = textwrap.fill(
        " ".join(ranges), 110, initial_indent=" " * 4, subsequent_indent=" " * 4, break_on_hyphens=False
    )
    before, begin, rest = DATA.read_text().partition('_DISPUTED = """\n')
    DATA.write_text(f'{before}{begin}{data}\n"""{rest.partition(chr(34) * 3)[2]}')


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(Path(sys.argv[2]))
    else:
        missing = [command[0] for _, command in TERMINALS.values() if command and not shutil.which(command[0])]
        if missing:
            sys.exit(f"not installed: {', '.join(missing)}")
        main(Path(sys.argv[1]) if sys.argv[1:] else Path(tempfile.mkdtemp(prefix="widths-")))
