"""The reference says what the docstrings say, and lists what the guides use."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(page.name for page in DOCS.glob("reference-*.md"))
GUIDES = ("tool-authors.md", "framework-authors.md", "configuration.md", "queue.md")


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    """Every page as the docstrings of today make it."""
    program = (
        "import json, sys; sys.path.insert(0, 'scripts'); import api_reference as r;"
        " print(json.dumps({page: r.render(page) for page in r.PAGES}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=DOCS.parent, capture_output=True, text=True, check=True
    )
    pages: dict[str, str] = json.loads(done.stdout)
    return pages


def test_the_reference_is_current_else_run_make_api(rendered: dict[str, str]) -> None:
    assert rendered == {name: (DOCS / name).read_text(encoding="utf-8") for name in PAGES}


def test_the_guides_say_what_the_models_say_else_run_make_api() -> None:
    program = (
        "import json, sys; sys.path.insert(0, 'scripts'); import guides as g;"
        " print(json.dumps({name: g.renewed((g.DOCS / name).read_text(encoding='utf-8')) for name in g.GUIDES}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=DOCS.parent, capture_output=True, text=True, check=True
    )
    pages: dict[str, str] = json.loads(done.stdout)
    assert pages == {name: (DOCS / name).read_text(encoding="utf-8") for name in pages}


def test_the_reference_lists_every_name_that_the_guides_import(rendered: dict[str, str]) -> None:
    listed = set(re.findall(r"^#{3} (\w+)$", "\n".join(rendered.values()), re.MULTILINE))
    guides = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in GUIDES)
    imported = {
        name.strip()
        for names in re.findall(r"^from signoff[\w.]* import ([\w, ]+)$", guides, re.MULTILINE)
        for name in names.split(",")
    }
    told = set(re.findall(r"`signoff(?:\.\w+)+\.([A-Za-z]\w*)`", guides))
    modules = {path.stem for path in (DOCS.parent / "core").rglob("*")}
    assert (imported | told) - modules <= listed
