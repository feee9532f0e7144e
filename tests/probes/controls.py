"""Controls: what a command must still be able to do."""

from __future__ import annotations

from probes.bench import Attempt, Kind, probe

__all__: list[str] = []


@probe(Kind.CONTROL, "the shell starts and prints")
def c01(at: Attempt) -> bool:
    return at.sh("echo hello").text.splitlines() == ["hello"]


@probe(Kind.CONTROL, "write and read back in the writable root")
def c02(at: Attempt) -> bool:
    said = at.sh(f"mkdir new && echo word > new/file && cat {at.rw}/new/file && mv new/file moved && rm -r new")
    return said.text == "word\n" and (at.rw / "moved").read_text() == "word\n"


@probe(Kind.CONTROL, "read the read-only root")
def c03(at: Attempt) -> bool:
    return at.sh(f"cat {at.ro}/file; ls {at.ro}").text == "file of rofile\n"


@probe(Kind.CONTROL, "/dev/null, /dev/zero, /dev/urandom")
def c04(at: Attempt) -> bool:
    said = at.sh("echo x > /dev/null && head -c 4 /dev/zero | wc -c && head -c 4 /dev/urandom | wc -c")
    return said.text.split() == ["4", "4"]


@probe(Kind.CONTROL, "some scratch space in ${TMPDIR:-/tmp}")
def c05(at: Attempt) -> bool:
    return (
        at.sh('f=$(mktemp "${TMPDIR:-/tmp}/XXXXXX") && echo word > "$f" && cat "$f" && rm "$f"').text == "word\n"
    )


@probe(Kind.CONTROL, "pipes, subshells, background jobs, exit status 7")
def c06(at: Attempt) -> bool:
    said = at.sh("echo a | tr a b; (exit 3) || echo $?; { sleep 0.01; echo c; } & wait; exit 7")
    return said.code == 7 and said.text.split() == ["b", "3", "c"]


@probe(Kind.CONTROL, "python starts, subprocess and socketpair work")
def c07(at: Attempt) -> bool:
    script = """
import asyncio
print(subprocess.run(["echo", "one"], capture_output=True, text=True).stdout.strip())
left, right = socket.socketpair()
left.send(b"two")
print(right.recv(9).decode())
async def three():
    process = await asyncio.create_subprocess_exec("echo", "three", stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0].decode().strip())
asyncio.run(three())
"""
    return at.python(script).text.split() == ["one", "two", "three"]


@probe(Kind.CONTROL, "a root given through a symbolic link still works")
def c08(at: Attempt) -> bool:
    link = at.base / "link"
    link.symlink_to(at.rw)
    at.settings.write_text(at.settings.read_text().replace(str(at.rw), str(link)))
    said = at.sh(f"echo one > here && echo two > {link}/there && cat {link}/here")
    return said.text == "one\n" and (at.rw / "there").read_text() == "two\n"


@probe(Kind.CONTROL, "git status in the writable root", "git")
def c09(at: Attempt) -> bool:
    at.repository(at.rw)
    (at.rw / "other").touch()
    said = at.sh("git status --porcelain")
    return said.code == 0 and "?? other" in said.text


@probe(Kind.CONTROL, "git add and git commit in the writable root", "git")
def c10(at: Attempt) -> bool:
    at.repository(at.rw)
    at.sh("echo two >> file; git add file && git -c user.name=n -c user.email=e commit -q -m second")
    return at.host("git", "-C", str(at.rw), "rev-list", "--count", "HEAD").strip() == "2"


@probe(Kind.CONTROL, "large output is not lost (200 kB)")
def c11(at: Attempt) -> bool:
    return at.sh("head -c 200000 /dev/zero | tr '\\0' x").text == "x" * 200_000
