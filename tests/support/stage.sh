#!/bin/sh
# stage.sh BUILD STAGE: installs the program and the tests' files where any user can read them, since a build folder may
# lie in a home that is closed to others; as root it also makes the ordinary user that tests run as.
set -eu
build=$1 stage=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
umask 022
rm -rf "$stage"
mkdir -p "$stage/tests"
cmake --install "$build" --prefix "$stage" --component runtime >/dev/null
cp -R "$source/docs" "$stage/"
cp -R "$source/tests/integration" "$source/tests/hostile" "$source/tests/support" "$stage/tests/"
mkdir -p "$stage/examples" && cp -R "$source/examples/mcp" "$stage/examples/"
mkdir -p "$stage/scripts" && cp "$source/scripts/prove.sh" "$stage/scripts/"
rm -rf "$stage/tests/hostile/bin" && cp -R "$build/hostile/bin" "$stage/tests/hostile/bin"
find "$stage" -name __pycache__ -prune -exec rm -rf {} +
chmod -R u=rwX,go=rX "$stage"
if [ "$(id -u)" = 0 ] && ! id cocoon-test >/dev/null 2>&1; then
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin cocoon-test
fi
