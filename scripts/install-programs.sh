#!/bin/sh
# Installs the programs that tests need and a fresh machine may lack, with whatever package manager is there.
# Usage: install-programs.sh PROGRAM ... (each in the package of its name, but for those named below)
set -u

PATH=$PATH:/usr/sbin  # where servers are

package_of() {
    case $1 in
        bwrap) echo bubblewrap ;;
        *) echo "$1" ;;
    esac
}

missing=""
packages=""
for program in "$@"; do
    command -v "$program" >/dev/null || { missing="$missing $program"; packages="$packages $(package_of "$program")"; }
done
[ -n "$missing" ] || exit 0

say() { echo "missing:$missing: $*" >&2; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        say "installing needs root; install them yourself and run the command again"
        exit 1
    fi
}

say "installing"
if command -v apt-get >/dev/null; then
    as_root apt-get -qq update && as_root apt-get -qq install -y $packages
elif command -v dnf >/dev/null; then
    as_root dnf -q install -y $packages
elif command -v apk >/dev/null; then
    as_root apk add --quiet $packages
elif command -v pacman >/dev/null; then
    as_root pacman -Sq --noconfirm $packages
elif command -v brew >/dev/null; then
    brew install --quiet $packages
fi
# Some systems run a server as soon as it is installed; tests run their own.
case "$missing " in
    *" pgbouncer "*) command -v service >/dev/null && as_root service pgbouncer stop >/dev/null 2>&1 ;;
esac
for program in $missing; do
    command -v "$program" >/dev/null || { say "could not be installed; do it yourself and run the command again"; exit 1; }
done
