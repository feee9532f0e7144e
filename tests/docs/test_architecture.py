"""The page on the architecture says what is there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

grimp = pytest.importorskip("grimp", reason="needs import-linter")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOTS = (ROOT / "core" / "signoff", ROOT / "tui", ROOT / "tui" / "signoff_tui", ROOT)


def test_the_picture_is_what_the_imports_draw_else_run_scripts_import_picture() -> None:
    program = (
        "import sys; sys.path.insert(0, 'scripts'); import import_picture as p;"
        " print(p.with_picture(p.PAGE.read_text(encoding='utf-8')), end='')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == PAGE


def test_no_two_parts_of_the_picture_import_each_other_but_where_the_page_says_so() -> None:
    program = (
        "import sys; sys.path.insert(0, 'scripts'); from import_picture import arrows; found = arrows();"
        " print(sorted({tuple(sorted(arrow)) for arrow in found if arrow[::-1] in found}))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[('policy', 'queue')]"


def test_no_modules_outside_screens_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("signoff", "signoff_tui", exclude_type_checking_imports=True, cache_dir=None)
    modules = {module for module in graph.modules if not module.startswith("signoff_tui.screens")}
    imports = {module: graph.find_modules_directly_imported_by(module) & modules for module in modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


def test_no_two_classes_outside_screens_have_the_same_name() -> None:
    parts = [ROOT / "core", ROOT / "tui"]
    files = [path for part in parts for path in part.rglob("*.py") if "screens" not in path.parts]
    names = Counter(
        node.name
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_every_file_that_the_page_names_exists() -> None:
    named = re.findall(r"`([a-z_/]+(?:\.(?:py|txt|toml)|/[a-z_]*)?)`", PAGE)
    paths = {name for name in named if "/" in name or name.endswith((".py", ".toml"))}
    missing = [name for name in paths if not any((root / name).exists() for root in ROOTS)]
    assert missing == []
