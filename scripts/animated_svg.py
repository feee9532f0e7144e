"""Pictures of the screen, one after the other, in one SVG file that plays by itself, with a caption below each.

A row of the screen that is the same in many pictures is in the file once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

__all__ = ["Frame", "animated"]

_ROW = 24.4
"""Height of a row, as the pictures have it."""

_EDGE = 9
_CAPTION_ROOM = 44
_FONTS = "DejaVu Sans Mono, Menlo, Consolas, monospace"
_SVG = "{http://www.w3.org/2000/svg}"
_STYLE = re.compile(r"\.(terminal-\d+-r\d+) \{ (.*?) \}")


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture.

    Attributes:
        svg: As `signoff.demo.pilot` makes it.
        caption: What was pressed and why, in a few words.
        seconds: How long it is shown.
    """

    svg: str
    caption: str
    seconds: float


def animated(frames: Sequence[Frame]) -> str:
    """Put frames of one size together.

    Who asked for reduced motion, and a viewer that plays nothing, sees the first one.

    Raises:
        ValueError: There are none.
    """
    if not frames:
        raise ValueError("there are no frames to show")
    pictures = [ET.fromstring(frame.svg) for frame in frames]
    _, _, width, height = map(float, pictures[0].attrib["viewBox"].split())
    height = height - 41 + 2 * _EDGE  # without the frame of a window
    shown: dict[str, list[int]] = {}
    looks: dict[str, str] = {}
    for number, (frame, picture) in enumerate(zip(frames, pictures, strict=True)):
        caption = f'<text class="caption" x="{_EDGE}" y="{height + 28:g}">{escape(frame.caption)}</text>'
        for part in (*_rows(picture, looks), caption):
            shown.setdefault(part, []).append(number)
    starts = [sum(frame.seconds for frame in frames[:number]) for number in range(len(frames) + 1)]
    styles, bodies = [], []
    for index, (part, numbers) in enumerate(shown.items()):
        if len(numbers) == len(frames):
            bodies.append(part)
            continue
        styles.append(_style(index, numbers, starts))
        first = " first" if numbers[0] == 0 else ""
        bodies.append(f'<g class="part p{index}{first}">{part}</g>')
    whole = f"{width:g} {height + _CAPTION_ROOM:g}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole}">',
            "<style>",
            f"text {{ font: 20px {_FONTS}; white-space: pre }}",
            "rect { shape-rendering: crispEdges }",
            ".caption { font-weight: bold; fill: #57606a }",
            f".part {{ visibility: hidden; animation: {starts[-1]:g}s step-end infinite }}",
            ".first { visibility: visible }",
            *(f".{look} {{ {style} }}" for style, look in looks.items()),
            *styles,
            "@media (prefers-reduced-motion: reduce) { .part { animation: none } }",
            "</style>",
            *bodies,
            "</svg>\n",
        ]
    )


def _style(index: int, numbers: Sequence[int], starts: Sequence[float]) -> str:
    steps = {0.0: "hidden"}
    for number in numbers:
        steps[starts[number]] = "visible"
        if number + 1 not in numbers and number + 2 < len(starts):
            steps[starts[number + 1]] = "hidden"
    keys = " ".join(f"{100 * at / starts[-1]:.2f}%{{visibility:{what}}}" for at, what in sorted(steps.items()))
    return f"@keyframes k{index}{{{keys}}} .p{index}{{animation-name:k{index}}}"


def _rows(picture: ET.Element, looks: dict[str, str]) -> Iterator[str]:
    """The rows of the screen, each as one piece of SVG at its place; `looks` gets the name of each style."""
    styles = dict(_STYLE.findall(picture.findtext(f"{_SVG}style") or ""))
    matrix = picture.findall(f"{_SVG}g")[-1]
    grounds: dict[int, list[_Ground]] = {}
    texts: dict[int, list[str]] = {}
    for element in matrix.iter():
        if element.tag == f"{_SVG}rect":
            _add_ground(grounds.setdefault(int(float(element.attrib["y"]) / _ROW), []), element)
        elif element.tag == f"{_SVG}text" and (element.text or "").strip("\n\xa0 "):
            row = int(element.attrib["clip-path"].rpartition("-")[2].rstrip(")"))
            look = looks.setdefault(styles[element.attrib["class"]], f"s{len(looks)}")
            texts.setdefault(row, []).append(_text(element, look))
    for row in sorted({*grounds, *texts}):
        pieces = [*map(_rect, grounds.get(row, [])), *texts.get(row, [])]
        yield f'<g transform="translate({_EDGE},{_EDGE})">{"".join(pieces)}</g>'


@dataclass(slots=True)
class _Ground:
    fill: str
    x: float
    y: str
    width: float


def _add_ground(row: list[_Ground], element: ET.Element) -> None:
    """One rectangle for neighbors of one color."""
    fill, x, width = element.attrib["fill"], float(element.attrib["x"]), float(element.attrib["width"])
    if row and row[-1].fill == fill:
        row[-1].width = x + width - row[-1].x
    else:
        row.append(_Ground(fill, x, element.attrib["y"], width))


def _rect(ground: _Ground) -> str:
    place = f'x="{ground.x:g}" y="{ground.y}" width="{ground.width:g}" height="{_ROW + 0.25:g}"'
    return f"<rect fill={quoteattr(ground.fill)} {place}/>"


def _text(element: ET.Element, look: str) -> str:
    where = " ".join(f'{name}="{element.attrib[name]}"' for name in ("x", "y", "textLength"))
    return f'<text class="{look}" {where}>{escape(element.text or "")}</text>'
