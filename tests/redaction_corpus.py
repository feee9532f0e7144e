"""The corpus of secrets: `SIGNOFF_CORPORA` names another directory of the same format."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judges import read


def cases() -> list[Any]:
    """Each case as listed keys, arguments, what must not be shown, and what must stay."""
    found = read("redaction.jsonl")
    return [
        pytest.param(
            case["input"]["keys"],
            case["input"]["args"],
            case["expected"]["masked"],
            case["expected"]["keep"],
            id=case["id"],
        )
        for case in found
    ]


GITHUB = "gh" + "p_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
"""A made-up token, put together so that secret scanners stay quiet."""

KEY_LINES = ("MIIE" + "owIBAAKCAQEA04up8hoqzS1" * 2, "Zx9" + "kqLw2RtYuIoPaSdFgHj")
PRIVATE_KEY = "\n".join(("-----BEGIN RSA " + "PRIVATE KEY-----", *KEY_LINES, "-----END RSA " + "PRIVATE KEY-----"))
