#!/usr/bin/env bash
# Installs the Debian packages that some tests use, where this user may. Without them those tests
# skip and say so at the end; with CI=true a missing one is a failure.
set -euo pipefail
missing=()
for command in curl hey chromium; do
    command -v "$command" >/dev/null || missing+=("$command")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo -n)
fi
if command -v apt-get >/dev/null && "${as_root[@]}" true 2>/dev/null; then
    echo "  installing ${missing[*]} with apt-get"
    "${as_root[@]}" apt-get update -qq >/dev/null
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
elif [ "${CI:-}" = true ]; then
    echo "hotshelf: cannot install ${missing[*]}, and CI skips no test" >&2
    exit 1
else
    echo "  without ${missing[*]} (no apt-get, or no right to use it): the tests that need it skip"
fi
