/**
 * The scripts that run a command on the other side, for a POSIX shell. What holds:
 * - the command leads a group of its own, so that a signal reaches all that it started and nothing else;
 * - who leads the group, and how it ended, is kept there in a folder of its own that nobody else can enter;
 * - a group is only signalled if it is certainly the command's: its leader has the same start, or a member has its mark;
 * - no text is ever read as shell code but the command itself: everything else is an argument.
 */
import { asOwnJob } from "../../util/own-job.js";

/** When a process started, so that a reused number is noticed; nothing if it is gone. */
const BEGAN = `began() {
  if [ -d /proc/self ]; then
    s=$(cat "/proc/$1/stat" 2>/dev/null) || return
    s=\${s##*") "}; set -- $s
    if [ "$1" != Z ]; then echo "\${20}"; fi
  else ps -o lstart= -p "$1"; fi
}
`;

const FOLDER = "/tmp/.baton-run-";

/**
 * Goes into a folder in /tmp, where everybody can make links. It fails unless the folder is ours and no link. Later nobody can
 * put another one in its place: files are named from inside.
 */
const ENTER = `enter() {
  cd -P "$1" && [ -O . ] && case $(pwd -P) in *"$1") ;; *) return 1 ;; esac
} 2>/dev/null
`;

/**
 * Arguments: mark, \`pipes\` or \`terminal\`, folder, command, and what the leader runs. What is left of commands that ended
 * a day ago is removed. The output is one stream. A lost connection ends the command only if it had the terminal.
 */
export const RUN = `${BEGAN}${ENTER}d=${FOLDER}$1
for o in ${FOLDER}*/code; do
  o=\${o%/code}
  (if enter "$o" && [ -n "$(find code -mtime +0)" ]; then rm -f leader waiter code; rmdir "$o"; fi)
done 2>/dev/null
mkdir -m 700 "$d" || exit 125
end() { echo "$1" >"$d/code.new" && mv "$d/code.new" "$d/code"; exit "$1"; }
exec 2>&1
echo "$$ $(began $$)" >"$d/waiter"
w=$3
case $w in "~") w=$HOME ;; "~/"*) w=$HOME/\${w#"~/"} ;; /* | "") ;; *) w=./$w ;; esac
if [ -n "$w" ]; then CDPATH= cd -- "$w" || end 126; fi
trap : INT QUIT TERM PIPE
BATON_RUN=$1; export BATON_RUN
c=$4; l=$5
if [ "$2" = pipes ] && command -v setsid >/dev/null; then set -- setsid; else set -m; set --; fi
${asOwnJob('"$@" /bin/sh -c "$l" "$d" "$c"')}
if [ "$code" -gt 256 ]; then code=$((code - 128)); fi # ksh93 reports a signal as 256 plus its number.
end "$code"
`;

/** What the leader runs: its folder is \`$0\`, the command \`$1\`. */
export const LEAD = `${BEGAN}echo "$$ $(began $$)" >"$0/leader"
if [ -x /bin/bash ]; then exec /bin/bash -c -- "$1"; else exec /bin/sh -c -- "$1"; fi
`;

const KNOWN = `${BEGAN}${ENTER}d=${FOLDER}$1
enter "$d" || exit 1
alive() { read -r p b <"$1" && [ -n "$b" ] && [ "$(began "$p")" = "$b" ]; } 2>/dev/null
`;

/** Arguments: mark, and the signal; 0 only looks if something runs. While the command is about to start, this waits for it. */
export const SIGNAL = `${KNOWN}i=0
until [ -s leader ] || ! alive waiter || [ "$i" -ge 10 ]; do sleep 1; i=$((i + 1)); done
ours() {
  if alive leader; then return 0; fi
  for f in /proc/[0-9]*; do
    if grep -aq "BATON_RUN=$1" "$f/environ"; then
      s=$(cat "$f/stat"); s=\${s##*") "}; set -- "$1" $s
      if [ "$4" = "$p" ]; then return 0; fi
    fi
  done 2>/dev/null
  return 1
}
read -r p b <leader || exit 1
if ours "$1"; then kill "-$2" "-$p"; else exit 1; fi
`;

/**
 * Argument: mark. The command can write there, too, so no code is believed before the leader and who waits for it are
 * gone: writing the code is the last that is done.
 */
export const STATUS = `${KNOWN}if alive leader || alive waiter; then echo running
elif [ -s code ]; then echo "exited $(cat code)"; fi
`;

/** Argument: mark. */
export const FORGET = `${KNOWN}rm -f leader waiter code && cd / && rmdir "$d"
`;
