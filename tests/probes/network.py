"""The network, and sockets of all families."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from probes.bench import Attempt, Kind, Vacuous, probe, require_root, until

__all__: list[str] = []

_STREAM, _DATAGRAM = int(socket.SOCK_STREAM), int(socket.SOCK_DGRAM)


@contextmanager
def _listener(host: str, kind: int = _STREAM, family: int = socket.AF_INET) -> Iterator[socket.socket]:
    try:
        with socket.socket(family, kind) as found:
            found.bind((host, 0))
            found.setblocking(False)
            if kind == _STREAM:
                found.listen()
            yield found
    except OSError as error:
        raise Vacuous(f"nothing can listen at {host}: {error.strerror}") from None


def _heard(listener: socket.socket) -> bool:
    def once() -> bool:
        try:
            if listener.type == socket.SOCK_STREAM:
                listener.accept()[0].close()
                return True
            return bool(listener.recv(99))
        except BlockingIOError:
            return False

    return until(once, 0.05)


def _connects(at: Attempt, host: str, family: int, made: str = "") -> bool:
    """True if a listener of the host hears a command that connects."""
    with _listener(host, family=family) as listener:
        made = made or f"socket.socket({family}, {_STREAM})"
        at.python(
            f"mine = {made}\nmine.settimeout(2)\n"
            f"mine.connect(({host!r}, {listener.getsockname()[1]}))\nmine.send(b'x')"
        )
        return _heard(listener)


@probe(Kind.BOUNDARY, "TCP to a listener on 127.0.0.1", offline=True)
def n01(at: Attempt) -> bool:
    return _connects(at, "127.0.0.1", socket.AF_INET)


@probe(Kind.BOUNDARY, "TCP over IPv6 to ::1", offline=True)
def n02(at: Attempt) -> bool:
    return _connects(at, "::1", socket.AF_INET6)


@probe(Kind.BOUNDARY, "TCP to the host's own outward address", offline=True)
def n03(at: Attempt) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # a route is looked up, and nothing sent
        except OSError:
            raise Vacuous("this machine has no outward address") from None
        return _connects(at, asking.getsockname()[0], socket.AF_INET)


@probe(Kind.BOUNDARY, "UDP to a listener on 127.0.0.1 (as names are asked for)", offline=True)
def n04(at: Attempt) -> bool:
    with _listener("127.0.0.1", _DATAGRAM) as listener:
        at.python(f"socket.socket({int(socket.AF_INET)}, {_DATAGRAM}).sendto(b'hello', {listener.getsockname()})")
        return _heard(listener)


@probe(Kind.BOUNDARY, "TCP Fast Open (sendto with MSG_FASTOPEN instead of connect)", offline=True)
def n05(at: Attempt) -> bool:
    with _listener("127.0.0.1") as listener:
        at.python(f"socket.socket().sendto(b'hello', 0x20000000, {listener.getsockname()})")
        return _heard(listener)


@probe(Kind.BOUNDARY, "Multipath TCP or SCTP instead of plain TCP", offline=True)
def n06(at: Attempt) -> bool:
    found = [
        _connects(at, "127.0.0.1", socket.AF_INET, f"socket.socket(2, 1, {protocol})") for protocol in (262, 132)
    ]
    return any(found)


@probe(Kind.BOUNDARY, "open a port that the host can reach", offline=True)
def n07(at: Attempt) -> bool:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port = asking.getsockname()[1]
    script = f"""
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("0.0.0.0", {port}))
listener.listen()
listener.settimeout(0.01)
put("listens")
end = time.monotonic() + 2
while time.monotonic() < end and not os.path.exists("tried"):
    try:
        listener.accept()[0].send(b"{at.key}")
    except TimeoutError:
        pass
"""
    process = at.start(at.python_words(script))
    until(lambda: (at.rw / "listens").exists() or process.poll() is not None)
    said = b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as caller:
        said = caller.recv(99)
    (at.rw / "tried").touch()
    out, err = process.communicate(timeout=20)
    at.ended(out, err, process.returncode)
    return said == at.key.encode()  # another program may listen there by now


@probe(Kind.BOUNDARY, "raw or packet socket on the host's network")
def n08(at: Attempt) -> bool:
    require_root()
    script = """
for family, kind, protocol in ((2, 3, 1), (2, 3, 255), (10, 3, 58), (17, 3, 768), (17, 2, 768)):
    try:
        socket.socket(family, kind, protocol)
        print("made", family, kind)
    except OSError as error:
        print(error)
"""
    return "made" in at.python(script).text


@probe(Kind.BOUNDARY, "see the host's interfaces and connections", offline=True)
def n09(at: Attempt) -> bool:
    with _listener("127.0.0.1") as listener:
        port = f":{listener.getsockname()[1]:04X} "
        said = at.sh("cat /proc/net/tcp /proc/*/net/tcp /proc/net/dev /proc/net/route; ls /sys/class/net").text
    interfaces = {name for _, name in socket.if_nameindex()} - {"lo"}
    return port in said or any(f"{name}:" in said for name in interfaces)


def _families(at: Attempt, *sockets: tuple[int, int, int]) -> bool:
    """True if one of some sockets can be made."""
    script = f"""
for each in {sockets!r}:
    try:
        socket.socket(*each)
        print("made", each)
    except OSError as error:
        print(each, error)
"""
    return "made" in at.python(script).text


@probe(Kind.HARDENING, "VM socket (AF_VSOCK) can be created: a way to the hypervisor or WSL host")
def n10(at: Attempt) -> bool:
    return _families(at, (40, 1, 0), (40, 2, 0))


@probe(Kind.HARDENING, "unusual socket families (AF_ALG, AF_KEY, netlink, bluetooth ...)")
def n11(at: Attempt) -> bool:
    families = [(16, 3, protocol) for protocol in (4, 6, 12, 15, 16)]  # netlink, but for routes
    families += [
        (38, 5, 0),
        (15, 3, 2),
        (31, 3, 1),
        (17, 3, 0),
        (44, 3, 0),
        (21, 5, 0),
        (30, 5, 0),
        (29, 3, 1),
        (39, 5, 1),
    ]
    return _families(at, *families)
