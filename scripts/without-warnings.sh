#!/usr/bin/env bash
# without-warnings.sh COMMAND…: runs an npm command, and fails if it fails or warns. That npm does not know a setting of this
# machine is no matter of ours.
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
if grep '^npm warn' "$log" | grep -v '^npm warn Unknown .* config'; then
  printf 'npm warned (see above): %s\n' "$*" >&2
  exit 1
fi
