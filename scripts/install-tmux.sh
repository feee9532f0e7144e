#!/bin/sh
# Some tests drive the screen in a real terminal multiplexer. Installs tmux with whatever package manager is there.
set -u

say() { echo "tmux is missing: $*" >&2; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        say "installing it needs root; install tmux yourself and run the command again"
        exit 1
    fi
}

say "installing it"
if command -v apt-get >/dev/null; then
    as_root apt-get -qq update && as_root apt-get -qq install -y tmux
elif command -v dnf >/dev/null; then
    as_root dnf -q install -y tmux
elif command -v apk >/dev/null; then
    as_root apk add --quiet tmux
elif command -v pacman >/dev/null; then
    as_root pacman -Sq --noconfirm tmux
elif command -v brew >/dev/null; then
    brew install --quiet tmux
fi
command -v tmux >/dev/null || { say "no package manager could install it; install tmux and run the command again"; exit 1; }
