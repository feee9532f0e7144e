"""Parts of the rules screen: the words of the editor, counting, what a change says."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules_bench import CHANGED, RULES, change, trusted_rules
from screen_bench import command, post

from signoff.config.report import RuleRow
from signoff.policy.shell.programs import known_programs, own_programs_file
from signoff.queue import AgentQueue, Decision, DecisionSource, ReviewQueue
from signoff_tui.external import HandoverError, editor_words
from signoff_tui.screens.rules.files import FileRule, read_files
from signoff_tui.screens.rules.hits import HitCounts, Hits, add_newer
from signoff_tui.screens.rules.lines import file_details, rule_details
from signoff_tui.screens.rules.trust_change import CannotTrustError, change_lines, look_at, trust_shown
from signoff_tui.text.lines import Line


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


# -- the editor ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"EDITOR": "nano"}, ["nano", "+7", "/a b.yaml"]),
        ({"EDITOR": "nano", "VISUAL": "code --wait"}, ["code", "--wait", "/a b.yaml"]),
        ({"EDITOR": "'/my apps/vim' -n"}, ["/my apps/vim", "-n", "+7", "/a b.yaml"]),
    ],
)
def test_visual_counts_before_editor_and_a_line_is_for_those_that_take_one(
    variables: dict[str, str], words: list[str]
) -> None:
    assert editor_words(variables, "/a b.yaml", 7) == words


def test_words_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(HandoverError, match="EDITOR cannot be read"):
        editor_words({"EDITOR": "'vim"}, "/a")


# -- counting ------------------------------------------------------------------------------------------------


def test_only_what_is_new_is_counted_again(asking: AgentQueue, looking: ReviewQueue, workdir: Path) -> None:
    rule = RuleRow("shell", "ls", "asks first", "asks", (), ('shell rule "ls"',))

    def asks(why: str) -> None:
        posted = post(asking, command(f"ls {why}", workdir, why=why))
        looking.decide(posted.id, 1, posted.submission.digest, Decision(approved=True))

    asks('shell rule "ls"; it writes')
    asks("shell default")
    first = add_newer(looking, HitCounts())
    assert (first.looked_at, first.of(rule)) == (2, Hits(asked=1))
    by_rule = Decision(approved=True, source=DecisionSource.RULE, by='shell rule "ls"')
    asking.record(post(asking, command("ls x", workdir)).submission, by_rule)
    second = add_newer(looking, first)
    assert (second.looked_at, second.of(rule)) == (3, Hits(asked=1, decided=1))
    assert add_newer(looking, second) is second


# -- what changed --------------------------------------------------------------------------------------------


def text_of(path: Path, width: int = 80) -> str:
    found = look_at(str(path))
    assert found is not None
    return "\n".join(map(left_of, change_lines(found, width)))


def test_a_file_as_it_was_trusted_has_no_change(tmp_path: Path) -> None:
    assert look_at(str(trusted_rules(tmp_path))) is None


def test_a_change_is_told_by_its_effect_and_line_by_line(tmp_path: Path) -> None:
    path = trusted_rules(tmp_path)
    change(path)
    text = text_of(path)
    assert "1 rule gone, 1 rule new; some let calls run without asking" in text
    assert "+ runs    shell git commit: runs without asking" in text
    assert "8 +     - {pattern: git commit, approval: false}" in text


def test_a_change_of_words_alone_says_that_no_rule_is_other(tmp_path: Path) -> None:
    path = trusted_rules(tmp_path)
    change(path, f"# rules\n{RULES}")
    assert "no rule is other than before" in text_of(path)


def test_without_a_copy_of_what_was_trusted_all_of_the_file_is_shown(tmp_path: Path, data: Path) -> None:
    path = trusted_rules(tmp_path)
    change(path)
    for copy in (data / "signoff" / "trusted-contents").iterdir():
        copy.unlink()
    text = text_of(path)
    assert "no copy of what you trusted is there: all of it is shown" in text
    assert all(line.strip() in text for line in CHANGED.splitlines())


def test_code_of_custom_tools_is_part_of_what_is_trusted(tmp_path: Path) -> None:
    path = trusted_rules(tmp_path, "custom_tools: {sync: {}}\n")
    code = tmp_path / "tools.py"
    code.write_text("def sync():\n    '''Sync.'''\n", "utf-8")
    found = look_at(str(path))
    assert found is not None
    assert set(found.documents) == {str(code)}
    code.write_text("import os\n", "utf-8")
    with pytest.raises(CannotTrustError, match="changed while you read"):
        trust_shown(found)
    trust_shown(look_at(str(path)) or found)
    assert look_at(str(path)) is None


def test_a_file_that_is_not_valid_cannot_be_trusted(tmp_path: Path) -> None:
    path = trusted_rules(tmp_path)
    change(path, "shell:\n  rulez: []\n")
    with pytest.raises(CannotTrustError, match=r"signoff\.yaml, line 2: shell\.rulez"):
        look_at(str(path))


# -- what is broad, and rows that cannot be read ---------------------------------------------------------------


def details(name: str) -> list[str]:
    """What the screen says of each row of the only file."""
    (file,) = (file for file in read_files() if file.name == name)
    rules = [rule_details(FileRule(file, number + 1), None, 0, 200) for number in range(len(file.rows))]
    return ["\n".join(map(left_of, lines)) for lines in (file_details(file, 200), *rules)]


def left_of(line: Line) -> str:
    return "".join(piece.text.text for piece in line.left)


def test_warnings_stand_with_the_file_and_with_the_rule_that_they_are_of(tmp_path: Path) -> None:
    path = trusted_rules(tmp_path)
    path.write_text(
        "shell: {rules: [{pattern: ls}, {pattern: bash, approval: false, any_arguments: true}]}", encoding="utf-8"
    )
    warning = "shell.rules[1]: is broad: bash x.sh runs without a question"
    file, ls, bash, _ = details(str(path))
    assert warning in file
    assert warning not in ls
    assert warning in bash
    assert "whatever command it is given" in bash
    assert warning in text_of(path, 200)


def test_rows_of_ones_own_that_cannot_be_read_are_told_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = trusted_rules(tmp_path)
    own = own_programs_file()
    own.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    own.write_text("frob\n")
    own.chmod(0o600)
    known_programs.cache_clear()
    try:
        assert all("line 1: no" in each for each in details(str(path)))
    finally:
        known_programs.cache_clear()
