"""What a pattern covers: exactly what a naive reading of it says."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.canonical import MAX_DEPTH, canonical, parse_json
from signoff.queue import GrantPattern, PatternError
from signoff.queue.grant_pattern import AnyValue, Exact, Matcher, OneOf, Under

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, -0.0, 1.0]), st.text(max_size=4)
)
PARTS = st.sampled_from(
    ["docs", "doc", "a", "b.txt", "..", ".", "", " ", "...", "a\\b", "a\nb", "a\x7f", "a\u202eb", "é"]
)
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
VALUES = st.one_of(PATHS, st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2), max_leaves=3))
KEYS = st.sampled_from(["path", "mode", "n"])
PAYLOADS = st.dictionaries(KEYS, VALUES, max_size=3)
TOOLS = st.sampled_from(["write_file", "write_fil", "WRITE_FILE", ""])
DIRECTORIES = st.sampled_from(["docs", "docs/a", "/docs", "/", "a"]).filter(lambda path: path != "/")
MATCHERS: st.SearchStrategy[Matcher] = st.one_of(
    VALUES.map(Exact.of),
    st.lists(VALUES, min_size=1, max_size=3).map(lambda values: OneOf.of(*values)),
    DIRECTORIES.map(Under),
    st.just(AnyValue()),
)
PATTERNS = st.builds(
    lambda tool, entries: GrantPattern(tool, tuple(entries.items())),
    TOOLS,
    st.dictionaries(KEYS, MATCHERS, max_size=3),
)


def naively(matcher: Matcher, value: object) -> bool:
    """What a matcher says, read from its JSON."""
    ((how, wanted),) = matcher.to_json().items()
    if how == "any":
        return True
    if how == "exact":
        return canonical(wanted) == canonical(value)
    if how == "one_of":
        return any(canonical(each) == canonical(value) for each in wanted)
    if not isinstance(value, str) or "\\" in value or not value.isprintable():
        return False
    above, parts = wanted.split("/"), value.split("/")
    below = parts[len(above) :]
    return parts[: len(above)] == above and below != [] and all(part.strip(". ") != "" for part in below)


# -- matching -----------------------------------------------------------------------------------------------


@given(PATTERNS, TOOLS, PAYLOADS)
def test_matching_is_what_a_naive_reading_says(pattern, tool_name, payload):
    entries = dict(pattern.entries)
    expected = (
        tool_name == pattern.tool_name
        and sorted(payload) == sorted(entries)
        and all(naively(entries[key], value) for key, value in payload.items())
    )
    assert pattern.matches(tool_name, payload) is expected


@given(TOOLS, PAYLOADS, TOOLS, PAYLOADS)
def test_a_pattern_of_exact_values_covers_what_the_exact_grant_covers(tool_name, payload, other_tool, other):
    pattern = GrantPattern.exactly(tool_name, payload)
    assert pattern.matches(tool_name, payload)
    equal = (other_tool, canonical(other)) == (tool_name, canonical(payload))
    assert pattern.matches(other_tool, other) is equal


@given(PATTERNS, KEYS, PAYLOADS)
def test_any_value_only_ever_adds(pattern, key, payload):
    if key in dict(pattern.entries) and pattern.matches(pattern.tool_name, payload):
        assert pattern.widened(key, AnyValue()).matches(pattern.tool_name, payload)


@given(TOOLS, PAYLOADS, KEYS, VALUES, PAYLOADS)
def test_one_more_value_only_ever_adds(tool_name, payload, key, more, other):
    if key in payload:
        pattern = GrantPattern.exactly(tool_name, payload)
        wider = pattern.widened(key, OneOf.of(payload[key], more))
        assert wider.matches(tool_name, {**payload, key: more})
        assert wider.matches(tool_name, other) >= pattern.matches(tool_name, other)


@given(DIRECTORIES, PATHS)
def test_what_is_below_a_directory_is_below_the_one_above_it(directory, path):
    if Under(f"{directory}/deeper").matches(path):
        assert Under(directory).matches(path)


@pytest.mark.parametrize(
    "path", ["docs/a.md", "docs/a/b/c.md", "docs/..a", "docs/a..", "docs/a b", "docs/~", "docs/café.md"]
)
def test_paths_below_the_directory_are_matched(path):
    assert Under("docs").matches(path)


@pytest.mark.parametrize(
    "path",
    [
        "docs",
        "docs/",
        "docs/a/",
        "docs//a",
        "docs/./a",
        "docs/../a",
        "docs/a/..",
        "docs/... ",
        "docs/.. /a",
        "docs/a\\..\\b",
        "docs/a\x00",
        "docs/a\nb",
        "docs/\x9b31m",
        "docs/a\u202eb",
        "docs/\u200b",
        "docs/\ud800",
        "docsX/a",
        "Docs/a",
        "./docs/a",
        "/docs/a",
        "//docs/a",
        " docs/a",
        "a/docs/b",
        "",
        None,
        1,
        ["docs/a"],
    ],
)
def test_nothing_else_is_below_the_directory(path):
    assert not Under("docs").matches(path)


def test_an_absolute_directory_covers_absolute_paths_only():
    assert Under("/docs").matches("/docs/a")
    assert not Under("/docs").matches("docs/a")


@pytest.mark.parametrize(
    "directory", ["", "/", ".", "..", "a/..", "../a", "a//b", "a/", "//a", "a\\b", "a\n", " "]
)
def test_a_directory_that_could_mean_another_place_is_refused(directory):
    with pytest.raises(PatternError, match="is not a directory that paths can be compared with"):
        Under(directory)


@pytest.mark.parametrize("lookalike", [1.0, True, "1", [1]])
def test_types_are_kept_apart(lookalike):
    assert not Exact.of(1).matches(lookalike)
    assert not OneOf.of(1, 2).matches(lookalike)


def test_what_is_not_json_is_never_covered():
    pattern = GrantPattern("t", (("x", AnyValue()),))
    assert not pattern.matches("t", {"x": {1, 2}})
    assert not pattern.matches("t", {"x": float("nan")})


# -- making -------------------------------------------------------------------------------------------------


@given(PATTERNS)
def test_a_pattern_survives_being_stored(pattern):
    again = GrantPattern.from_json(parse_json(pattern.key))
    assert again == pattern
    assert again.key == pattern.key


@given(PATTERNS, PATTERNS)
def test_two_patterns_are_equal_exactly_if_their_keys_are(one, other):
    assert (one == other) == (one.key == other.key)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"tool": "t"},
        {"tool": "t", "payload": {}, "more": 1},
        {"tool": 1, "payload": {}},
        {"tool": "t", "payload": []},
        {"tool": "t", "payload": {"x": {}}},
        {"tool": "t", "payload": {"x": "docs"}},
        {"tool": "t", "payload": {"x": {"regex": ".*"}}},
        {"tool": "t", "payload": {"x": {"any": False}}},
        {"tool": "t", "payload": {"x": {"any": 1}}},
        {"tool": "t", "payload": {"x": {"any": True, "under": "docs"}}},
        {"tool": "t", "payload": {"x": {"one_of": []}}},
        {"tool": "t", "payload": {"x": {"one_of": "ab"}}},
        {"tool": "t", "payload": {"x": {"under": ".."}}},
        {"tool": "t", "payload": {"x": {"under": 1}}},
        {"tool": "t", "payload": {"x": {"exact": {1, 2}}}},
    ],
)
def test_what_is_no_pattern_is_refused(value):
    with pytest.raises(PatternError):
        GrantPattern.from_json(value)


def test_only_entries_of_the_payload_can_be_widened():
    with pytest.raises(PatternError, match='the payload has no entry "size"; it has "path"'):
        GrantPattern.exactly("t", {"path": "a"}).widened("size", AnyValue())


def test_a_key_is_named_once():
    with pytest.raises(PatternError):
        GrantPattern("t", (("x", AnyValue()), ("x", Exact.of(1))))


def test_a_value_too_deep_to_be_stored_in_a_pattern_is_refused():
    deep: object = "bottom"
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    pattern = GrantPattern.exactly("t", {"x": deep})
    assert pattern.matches("t", {"x": deep})
    with pytest.raises(PatternError, match="cannot be stored: nested deeper"):
        _ = pattern.key


# -- words --------------------------------------------------------------------------------------------------


def test_the_words_say_all_of_it():
    pattern = GrantPattern(
        "write_file",
        (
            ("content", AnyValue()),
            ("mode", OneOf.of("w", "a")),
            ("path", Under("docs")),
            ("encoding", Exact.of("utf-8")),
        ),
    )
    assert pattern.words() == (
        'every call of "write_file" whose payload has exactly these entries: "content" is ANYTHING; "encoding" is'
        ' exactly "utf-8"; "mode" is exactly one of "a", "w"; "path" is spelled as any path below "docs/", at any'
        " depth, whatever is there, seen from wherever the call is asked (links on the way are not looked at);"
        " what is not in the payload may be anything, other arguments and the working directory included"
    )


def test_the_words_for_an_empty_payload_are_loud():
    assert GrantPattern.exactly("t", {}).words() == (
        'every call of "t" with an empty payload, WHATEVER ITS ARGUMENTS AND ITS WORKING DIRECTORY ARE'
    )


@given(st.text(), st.dictionaries(st.text(), st.text(), max_size=2))
def test_the_words_are_printable_ascii_whatever_the_agent_sent(tool_name, payload):
    words = GrantPattern.exactly(tool_name, payload).words()
    assert set(words) <= set(string.printable) - set("\t\n\r\x0b\x0c")


@given(PATTERNS)
def test_the_words_name_every_entry(pattern):
    words = pattern.words()
    assert all(canonical(key) in words for key, _ in pattern.entries)
