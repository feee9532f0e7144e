"""Programs that a rule about their name alone lets do almost anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["BROAD_PROGRAMS", "broad_commands"]

_ANY_PROGRAM = ("-c 'rm -rf x'", "x.sh")
_ANY_CODE = ("-c 'import os; os.remove(\"x\")'", "x.py")
_PACKAGES = ("install x", "run x", "x")

BROAD_PROGRAMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh", "fish", "busybox"), _ANY_PROGRAM),
    **dict.fromkeys(("python", "python3", "pypy3", "uv", "poetry", "pipx"), _ANY_CODE),
    **dict.fromkeys(("node", "deno", "bun"), ('-e \'require("fs").unlinkSync("x")\'', "x.js")),
    **dict.fromkeys(("perl", "ruby", "php", "lua"), ("-e 'unlink \"x\"'", "x")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "npx", "pip", "pip3", "cargo", "gem", "brew", "apt"), _PACKAGES),
    **dict.fromkeys(("docker", "podman"), ("run -v /:/host alpine rm -rf /host/home", "system prune -af")),
    **dict.fromkeys(("curl", "wget"), ("https://example.com/x",)),
    **dict.fromkeys(("ssh", "scp", "rsync", "sftp"), ("x@example.com:", "-a . x@example.com:")),
    **dict.fromkeys(("cat", "head", "tail", "less"), ("/etc/passwd",)),
    **dict.fromkeys(("grep", "rg"), ("-r PRIVATE /home",)),
    **dict.fromkeys(("cp", "mv", "ln"), ("x ../y",)),
    **dict.fromkeys(("rm", "rmdir", "shred"), ("-rf .", "x")),
    **dict.fromkeys(("chmod", "chown"), ("-R 777 .", "x .")),
    **dict.fromkeys(("kubectl", "helm"), ("delete namespace x", "uninstall x")),
    **dict.fromkeys(("sudo", "doas", "env", "xargs", "nohup", "timeout"), ("x", "1 x")),
    "git": ("push --force origin main", "clean -fdx", "checkout -- ."),
    "gh": ("api -X DELETE /repos/x/y",),
    "find": ("/home -name id_rsa", ". -delete"),
    "tee": ("x",),
    "dd": ("if=/dev/zero of=x",),
    "make": ("x",),
    "go": ("run x.go",),
    "sed": ("-i s/a/b/ x", "-n p /etc/passwd"),
    "awk": ("'BEGIN { system(\"rm x\") }'", "1 /etc/passwd"),
    "tar": ("-xf x.tar -C /",),
    "aws": ("s3 rm s3://x --recursive",),
    "terraform": ("destroy -auto-approve",),
}
"""Programs that do very different things, by what they are called with: such arguments, the worse ones first."""

_BROAD_BEGINNINGS: Mapping[str, tuple[str, ...]] = {
    "git checkout": ("-- .",),
    "git config": ("core.pager x",),
    "git push": ("--force origin main",),
    "git reset": ("--hard",),
    "docker run": ("-v /:/host alpine rm -rf /host/home",),
    "docker exec": ("x rm -rf /data",),
    "npm run": ("x",),
    "npm install": ("x",),
    "pip install": ("x",),
    "uv run": ("x.py",),
    "python -c": ("'import os; os.remove(\"x\")'",),
    "python3 -c": ("'import os; os.remove(\"x\")'",),
    "python -m": ("pip install x",),
    "python3 -m": ("pip install x",),
}


def broad_commands(words: Sequence[str]) -> list[str]:
    """Commands that begin with the words of a rule and do what nobody would expect of it; none if none is known.

    Args:
        words: The words of the rule.
    """
    beginning = " ".join(words)
    program = beginning.rpartition("/")[2]
    return [f"{beginning} {tail}" for tail in _BROAD_BEGINNINGS.get(program, BROAD_PROGRAMS.get(program, ()))]
