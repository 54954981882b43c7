#!/usr/bin/env bash
# A real Matrix homeserver for the tests: Synapse from Debian sid, in a folder of its own. Needs root and a Debian host.
#
#   scripts/synapse.sh build FOLDER    makes the folder (about 2.5 minutes, 600 MB); nothing to do where it is made
#   scripts/synapse.sh start FOLDER    starts it on loopback and prints its URL, for BATON_TEST_SYNAPSE
#   scripts/synapse.sh stop FOLDER     ends it
#   scripts/synapse.sh remove FOLDER   ends it and deletes the folder
#
# SYNAPSE_PORT is its port, 18008 unless set. Anybody on this machine may register there: it is for tests only.
set -euo pipefail

usage() { sed -n '4,7s/^# *//p' "$0" >&2; exit 2; }
fail() { echo "synapse.sh: $*" >&2; exit 1; }

[[ $# -eq 2 && -n "$2" && "$2" != / ]] || usage
readonly command=$1
readonly root=$(realpath -m -- "$2")
readonly port=${SYNAPSE_PORT:-18008}
readonly home=/srv/hs
readonly mark=$root/.synapse-for-tests
[[ $EUID -eq 0 ]] || fail "this needs root: a chroot is made."
[[ $root != / ]] || usage

inside() { LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

mounted() { mountpoint -q "$root/proc"; }

build() {
  [[ $(cat "$mark" 2>/dev/null) != ready ]] || return 0
  if [[ -e $mark ]]; then wipe; fi # It was begun, and not finished.
  [[ ! -e $root || -z $(ls -A "$root") ]] || fail "$root is not empty, and not of this script."
  command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap; } >&2
  mkdir -p "$root"
  echo begun >"$mark"
  debootstrap --variant=minbase --include=ca-certificates sid "$root" >&2
  mounted || mount -t proc proc "$root/proc"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # Nothing is started by being installed.
  chmod 755 "$root/usr/sbin/policy-rc.d"
  # A mirror may lag behind; what it has is signed all the same.
  echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99-mirror-may-lag"
  inside debconf-set-selections <<'ANSWERS'
matrix-synapse matrix-synapse/server-name string localhost
matrix-synapse matrix-synapse/report-stats boolean false
ANSWERS
  inside apt-get update -qq >&2
  inside apt-get install -y -qq --no-install-recommends matrix-synapse >&2
  echo ready >"$mark"
}

# Of a build that was cut off there may be more left than a running one has.
wipe() {
  end_all
  unmount_all
  rm -rf --one-file-system -- "$root"
}

# Every process whose root is the folder, and no other.
end_all() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/root") != "$root" ]] || kill -9 "${process#/proc/}" || true
  done 2>/dev/null
}

unmount_all() {
  local place
  awk -v root="$root/" 'index($2, root) == 1 { print $2 }' /proc/mounts | sort -r | while read -r place; do
    umount "$place" || umount --lazy "$place"
  done
}

configure() {
  mkdir -p "$root$home"
  cat >"$root$home/log.yaml" <<'LOG'
version: 1
handlers: { file: { class: logging.FileHandler, filename: /srv/hs/homeserver.log } }
root: { level: WARNING, handlers: [file] }
disable_existing_loggers: false
LOG
  local many='{ per_second: 1000, burst_count: 1000 }'
  cat >"$root$home/homeserver.yaml" <<HOMESERVER
server_name: localhost
public_baseurl: http://127.0.0.1:$port/
pid_file: $home/homeserver.pid
listeners:
  - { port: $port, type: http, tls: false, bind_addresses: [127.0.0.1], resources: [{ names: [client], compress: false }] }
database: { name: sqlite3, args: { database: $home/homeserver.db } }
log_config: $home/log.yaml
media_store_path: $home/media
signing_key_path: $home/signing.key
macaroon_secret_key: for-tests
form_secret: for-tests
report_stats: false
trusted_key_servers: []
federation_domain_whitelist: []
url_preview_enabled: false
presence: { enabled: false }
enable_registration: true
enable_registration_without_verification: true
rc_message: $many
rc_registration: $many
rc_login: { address: $many, account: $many }
rc_room_creation: $many
rc_joins: { local: $many }
rc_invites: { per_room: $many, per_user: $many }
HOMESERVER
}

answers() { curl -fs -m 2 -o /dev/null "http://127.0.0.1:$port/_matrix/client/versions"; }

running() {
  local pid
  pid=$(cat "$root$home/pid" 2>/dev/null) && grep -qaF "$home/homeserver.yaml" "/proc/$pid/cmdline" 2>/dev/null
}

start() {
  [[ $(cat "$mark" 2>/dev/null) == ready ]] || fail "there is no Synapse in $root: build it first."
  if ! running; then
    ! answers || fail "something else answers on port $port: set SYNAPSE_PORT."
    mounted || mount -t proc proc "$root/proc"
    configure
    inside python3 -m synapse.app.homeserver --config-path "$home/homeserver.yaml" --generate-keys >&2
    setsid chroot "$root" python3 -m synapse.app.homeserver --config-path "$home/homeserver.yaml" \
      </dev/null >"$root$home/out.log" 2>&1 &
    echo $! >"$root$home/pid"
    disown
  fi
  for _ in $(seq 120); do
    ! answers || { echo "http://127.0.0.1:$port"; return 0; }
    running || fail "it ended: $(tail -n 5 "$root$home/out.log")"
    sleep 0.5
  done
  fail "it does not answer: see $root$home/homeserver.log"
}

stop() {
  if running; then
    local pid
    pid=$(cat "$root$home/pid")
    kill "$pid"
    for _ in $(seq 60); do [[ -d /proc/$pid ]] || break; sleep 0.25; done
    [[ ! -d /proc/$pid ]] || kill -9 "$pid"
  fi
  rm -f "$root$home/pid"
  ! mounted || umount "$root/proc"
}

case $command in
  build | start | stop) "$command" ;;
  remove)
    [[ -e $root ]] || exit 0
    [[ -e $mark ]] || fail "$root is not of this script: nothing is deleted."
    stop
    wipe
    ;;
  *) usage ;;
esac
