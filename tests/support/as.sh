#!/bin/sh
# as.sh root|user|any STAGE COMMAND...: runs a test with the staged program as root or as an ordinary user, in a clean
# environment. Where that identity can't be had, the test is skipped (77), and fails in CI.
set -eu
identity=$1 stage=$2
shift 2
set -- env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/nonexistent LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 \
  COCOON="$stage/bin/cocoon" COCOON_STAGE="$stage" COCOON_MUST_WORK="${COCOON_MUST_WORK:-0}" \
  COCOON_SANITIZED="${COCOON_SANITIZED:-0}" ${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} \
  ${UBSAN_OPTIONS:+UBSAN_OPTIONS="$UBSAN_OPTIONS"} "$@"
cd "$stage"
case $identity:$(id -u) in
  any:* | root:0 | user:[1-9]*) exec "$@" ;;
  user:0) exec setpriv --reuid cocoon-test --regid cocoon-test --clear-groups --bounding-set=-all --inh-caps=-all -- "$@" ;;
  *)
    echo "needs to be started by root"
    [ "${COCOON_MUST_WORK:-0}" = 1 ] && exit 1
    exit 77
    ;;
esac
