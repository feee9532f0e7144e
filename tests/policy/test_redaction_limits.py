"""Masking takes time in proportion to a text, and reads what surrounds a secret once, however many there are.

Speeds are measured by `benchmarks/masking.py`.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.policy.redaction import masking
from signoff.policy.redaction.commands import WordsAround
from signoff.policy.redaction.masking import DEFAULT_REDACTION

TOKEN = "gh" + "p_" + "a1B" * 6

pieces = st.lists(
    st.sampled_from(
        (
            *("sudo", "timeout", "-k", "curl", "rsync", "-e", "--rsh", "ssh", "X=/usr/bin/curl", "find", "-exec"),
            *("A=1", "ProxyCommand=", "--pre=", "'", '"', "$", "=", ":", ",", "/", ".", "case", "a)", "then", "1"),
            *(" ", " ", " ", "\n", ";", "|", "&&", "(", ")", "{ ", ">", "2>&1", "&>", ">|", "12>&-", "-", "\\"),
        )
    ),
    max_size=24,
)


@settings(max_examples=150)
@given(st.lists(pieces, max_size=4))
def test_what_stands_before_a_secret_tells_the_same_in_order_and_alone(stretches: list[list[str]]) -> None:
    text, places = "", []
    for stretch in stretches:
        text += "".join(stretch)
        places.append(len(text))
        text += TOKEN
    around = WordsAround(text)
    for at in places:
        before = WordsAround(text[:at])
        assert around.must_stay(at, at + len(TOKEN)) is before.must_stay(at, at)
        assert around.is_for("curl", at) is before.is_for("curl", at)


def test_a_runner_is_seen_however_far_before_what_it_runs() -> None:
    text = "sudo " + "-u a " * 1000 + TOKEN
    assert DEFAULT_REDACTION.spans(text, command=True) == []


@pytest.mark.parametrize("pattern", ["curl -u a:b1 ", f"sudo -E {TOKEN} ", f"={TOKEN}", f"a {TOKEN}/ "])
def test_each_word_of_a_command_is_read_once(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    class Counting(WordsAround):
        def _add(self, words: list[str]) -> None:
            nonlocal read
            read += len(words)
            super()._add(words)

    monkeypatch.setattr("signoff.policy.redaction.patterns.WordsAround", Counting)
    text = pattern * 500
    DEFAULT_REDACTION.spans(text, command=True)
    assert read <= len(text.split())


WORST = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, (10, resource.getrlimit(resource.RLIMIT_CPU)[1]))
from signoff.policy.redaction.masking import DEFAULT_REDACTION
for pattern in ("curl -u a:b1 ", "cookie: a1bcdef ", "a {TOKEN} ", "-u a:b "):
    text = pattern * (400_000 // len(pattern))
    DEFAULT_REDACTION.spans(text, command=True)
names = dict.fromkeys(map("k{{}}".format, range(20_000)), "x")
for _ in range(90):
    names = {{"iban": names}}
DEFAULT_REDACTION.also(["iban"]).mask_value(names)
print("all of them")
"""


def test_the_worst_texts_and_values_are_masked_in_little_time() -> None:
    """All of them, in less time of the processor than one of them took when each match read what is before it."""
    done = subprocess.run([sys.executable, "-c", WORST], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("all of them", "")


@pytest.mark.parametrize("name", ["value", "Value", "VALUES"])
def test_a_value_beside_the_name_of_a_secret_is_hidden_among_many_entries(name: str) -> None:
    pair = {f"k{number}": "x" for number in range(500)} | {"NAME": "token", name: "abcd"}
    assert DEFAULT_REDACTION.mask_value(pair)[name] != "abcd"


@given(st.lists(st.sampled_from(["api", "key", "access", "x", "private", "signing"]), max_size=6))
def test_a_name_of_several_words_is_found_where_they_follow_one_another(words: list[str]) -> None:
    listed = masking.KeyWords(["api key", "signing key", "private"])
    pairs = list(pairwise(words))
    assert listed.phrase(words) is (("api", "key") in pairs or ("signing", "key") in pairs)
