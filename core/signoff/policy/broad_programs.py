"""Programs that a rule about their name alone lets do almost anything."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BROAD_PROGRAMS"]

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
