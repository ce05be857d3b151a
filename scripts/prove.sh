#!/bin/sh
# prove.sh [COCOON]: proves the isolation from inside. Builds a busybox bundle as an ordinary user, runs it, and checks what
# the process in it sees. Exit code 0 and a last line "PROOF OK" only if every check holds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cocoon=${1:-${COCOON:-$here/../build/release/bin/cocoon}}
busybox=${BUSYBOX:-/bin/busybox}

fail() {
  echo "PROOF FAILED: $*" >&2
  exit 1
}

[ -x "$cocoon" ] || fail "no program at $cocoon: run scripts/demo first, or name it"
[ -x "$busybox" ] || fail "needs $busybox (package busybox-static)"
[ "$(id -u)" != 0 ] || fail "this is a proof of rootless isolation: run it as an ordinary user"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$cocoon" spec box >/dev/null
mkdir -p box/rootfs/usr/bin
cp "$busybox" box/rootfs/usr/bin/busybox
for applet in $("$busybox" --list); do
  [ -e "box/rootfs/usr/bin/$applet" ] || ln -s busybox "box/rootfs/usr/bin/$applet"
done
cat >box/rootfs/look.sh <<'LOOK'
# Runs inside: says what it sees, one value a line.
value() { sed -n "s/^$1:[[:space:]]*//p" /proc/self/status; }
echo "host $(hostname)"
echo "pid $$"
echo "uid $(id -u)"
echo "procs $(ls -d /proc/[0-9]* | wc -l)"
echo "nnp $(value NoNewPrivs)"
echo "seccomp $(value Seccomp)"
echo "capeff $(value CapEff)"
echo "capbnd $(value CapBnd)"
touch /written 2>/dev/null && echo "root writable" || echo "root read-only"
LOOK
cat >box/cocoon.conf <<'CONF'
hostname = cocoonbox
readonly = true
argv = /bin/sh /look.sh
CONF

"$cocoon" run box >seen || fail "the bundle did not run"
get() { sed -n "s/^$1 //p" seen; }
echo "# host is '$(hostname)' at uid $(id -u). inside the container:"
echo "container said: host=$(get host) pid=$(get pid) uid=$(get uid) procs=$(get procs)"
[ "$(get host)" = cocoonbox ] || fail "the hostname is not its own"
[ "$(get pid)" = 1 ] || fail "the payload is not pid 1"
[ "$(get uid)" = 0 ] || fail "the uid is not mapped to 0"
[ "$(get procs)" -le 6 ] || fail "it sees processes that are not its own"
echo "isolation: only $(get procs) process(es) visible in the pid namespace"
[ "$(get nnp)" = 1 ] || fail "no_new_privs is not set"
echo "NoNewPrivs: $(get nnp)          # cannot regain privilege"
[ "$(get seccomp)" = 2 ] || fail "no seccomp filter is loaded"
echo "Seccomp:    $(get seccomp)          # a seccomp filter is loaded"
case $(get capeff)$(get capbnd) in *[!0]*) fail "capabilities are left: $(get capeff) $(get capbnd)" ;; esac
echo "CapEff:     $(get capeff)"
[ "$(get root)" = read-only ] && [ ! -e box/rootfs/written ] || fail "the root is writable"
echo "PROOF OK: rootless isolation verified"
