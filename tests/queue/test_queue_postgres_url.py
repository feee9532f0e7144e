"""How a queue in PostgreSQL is named, and that its password is shown to nobody."""

from __future__ import annotations

import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.queue import QueuePlaceError, open_review_queue, place_name, postgres_place, queue_stats
from signoff.queue.location import has_password, is_postgres
from signoff.queue.postgres.connection import parse_url


@pytest.mark.parametrize(
    ("url", "name", "schema"),
    [
        ("postgresql://anna@db.example/team", "postgresql://anna@db.example/team", "signoff"),
        ("postgresql://anna:secret@db.example:5433/team", "postgresql://anna@db.example:5433/team", "signoff"),
        ("postgresql:///team?host=/run/pg", "postgresql:///team?host=/run/pg", "signoff"),
        ("postgresql://db/team?queue=work", "postgresql://db/team?queue=work", "signoff_work"),
        ("postgresql://a,b:1/team?password=secret&user=anna", "postgresql://a,b:1/team?user=anna", "signoff"),
        ("postgresql://[::1]:5432/team?sslpassword=secret", "postgresql://[::1]:5432/team", "signoff"),
    ],
)
def test_a_url_names_a_schema_and_is_shown_without_its_password(url, name, schema):
    place = parse_url(url)
    assert (place.name, place.schema) == (name, schema)


def test_a_command_to_type_leaves_out_no_check_of_the_server_and_no_term_of_the_queue():
    kept = "sslmode=verify-full&sslrootcert=/a.crt&target_session_attrs=read-write&agent_timeout=60&queue=work"
    place = parse_url(f"postgresql://anna:secret@db1,db2/team?{kept}&sslcert=/anna.crt&sslpassword=secret")
    assert place.option == f"postgresql://anna@db1,db2/team?{kept}"


def test_our_own_option_is_not_passed_on():
    assert parse_url("postgresql://db/team?a=1&queue=work&b=2").url == "postgresql://db/team?a=1&b=2"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:sec@ret@db/team",
        "postgresql://anna:sec/ret@db/team",
        "postgresql://anna:sec?ret@db/team",
        "postgresql://anna:sec#ret@db/team",
        "postgresql://anna:secret@db/team#ret",
    ],
)
def test_a_url_of_which_a_piece_of_the_password_could_be_taken_for_something_else_is_refused(url):
    with pytest.raises(QueuePlaceError, match="%XX") as refused:
        parse_url(url)
    assert "sec" not in str(refused.value)
    assert "ret" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "a b", "a'b", 'a"b', "ä", "x" * 49, "-a"])
def test_odd_names_of_queues_are_refused(name):
    with pytest.raises(QueuePlaceError, match="not the name of a queue"):
        parse_url(f"postgresql://db/team?queue={name}")


@given(st.text(min_size=4), st.text(string.ascii_letters))
def test_no_password_is_ever_shown(password, user):
    secret = f"<{password}>"
    place = parse_url(f"postgresql://{user}:{quote(secret, safe='')}@db/team")
    assert place.name == f"postgresql://{user}{'@' if user else ''}db/team"
    assert quote(secret, safe="") not in repr(place)


@pytest.mark.parametrize("place", ["team", "./team", "/srv/team", "postgresql", "./a://b"])
def test_what_is_no_url_is_a_name_or_a_directory(place):
    assert not is_postgres(place)
    assert place_name(place) == place


@pytest.mark.parametrize("use", [open_review_queue, queue_stats, place_name, postgres_place])
@pytest.mark.parametrize("scheme", ["postgres", "POSTGRESQL", "mysql", "file", ""])
def test_the_url_of_anything_else_is_refused_and_its_password_shown_to_nobody(use, scheme):
    place = f"{scheme}://anna:secret@db/team"
    with pytest.raises(QueuePlaceError, match="begins with postgresql://") as refused:
        use(place)
    assert "secret" not in str(refused.value)
    assert has_password(place)


@pytest.mark.parametrize(
    ("place", "has"),
    [
        ("postgresql://anna:secret@db/team", True),
        ("postgres://anna:sec@ret@db/team", True),
        ("postgresql://anna:sec/ret@db/team", True),
        ("postgresql://anna@db/team?queue=a&password=secret", True),
        ("postgresql:///team?sslpassword=secret", True),
        ("postgresql://anna@db:5432/team?queue=work", False),
        ("postgresql://anna:@db/team", False),
        ("postgresql://[::1]:5432/team", False),
        ("postgresql:///team?host=a:b", False),
        ("./queue:x@y", False),
    ],
)
def test_a_place_with_a_password_is_told_from_one_without(place, has):
    assert has_password(place) == has


def test_the_place_is_shown_as_it_was_named_but_without_a_password(monkeypatch):
    monkeypatch.setenv("SIGNOFF_QUEUE", "postgresql://anna:secret@db/team")
    assert place_name() == "postgresql://anna@db/team"
    assert place_name("./queue") == "./queue"
    monkeypatch.delenv("SIGNOFF_QUEUE")
    assert place_name() == "default"
