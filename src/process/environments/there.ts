/**
 * The scripts that run a command on the other side, for a POSIX shell. What holds:
 * - the command leads a group of its own, so that a signal reaches all that it started and nothing else;
 * - who leads the group, and how it ended, is kept there in a folder of its own that nobody else can read or forge;
 * - a group is only signalled if it is certainly the command's: its leader has the same start, or a member has its mark;
 * - no text is ever read as shell code but the command itself: everything else is an argument, and arguments are encoded
 *   so that no shell on the way sees a character that means something to it.
 */
import { randomBytes } from "node:crypto";
import { asOwnJob } from "../../util/own-job.js";

/** Names a command there: the folder, and the mark in its environment. Nobody can guess it. */
export function newMark(): string {
  return randomBytes(16).toString("hex");
}

/**
 * As `printf %b` reads it. What is left as it is means nothing between single quotes, in any shell: no quote, no
 * backslash, no exclamation mark.
 */
function encoded(text: string): string {
  const bytes = [...Buffer.from(text, "utf8")];
  return bytes
    .map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, "0")}`))
    .join("");
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && !"'\\!".includes(String.fromCharCode(byte));
}

/** The words that run a script there; the script gets the arguments decoded, as $1, $2 … */
export function shellWords(script: string, args: readonly string[]): [string, ...string[]] {
  return ["/bin/sh", "-c", BEGIN, encoded(script), ...args.map(encoded)];
}

/** `$(…)` cuts off newlines at the end, so there is a mark after them. It goes once round all arguments. */
const BEGIN = `for a do a=$(printf "%bx" "$a"); set -- "$@" "\${a%x}"; shift; done; eval "$(printf %b "$0")"`;

/** The same words as a text, for a server that gives it to a shell, whichever that is. */
export function shellText(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

/** When a process started, so that a reused number is noticed. */
const BEGAN = `began() {
  if [ -r "/proc/$1/stat" ]; then s=$(cat "/proc/$1/stat" 2>/dev/null) || return; s=\${s##*) }; set -- $s; echo "\${20}"
  else ps -o lstart= -p "$1" 2>/dev/null; fi
}
`;

/** \`d\`: the command's folder there. */
const FOLDER = `d=/tmp/.baton-run-$1
`;

const ALIVE = `${FOLDER}${BEGAN}[ -d "$d" ] && [ -O "$d" ] || exit 1
alive() { read -r p b <"$d/$1" 2>/dev/null && [ -n "$b" ] && [ "$(began "$p")" = "$b" ]; }
`;

/**
 * Arguments: mark, \`pipes\` or \`terminal\`, folder, command. What is left of commands that ended a day ago is removed. The
 * output is one stream. A connection that is lost ends the command only if that had its terminal.
 */
export const RUN = `${FOLDER}${BEGAN}for o in /tmp/.baton-run-*/code; do
  if [ -O "$o" ] && [ -n "$(find "$o" -mtime +0 2>/dev/null)" ]; then rm -f "\${o%code}"leader "\${o%code}"waiter "$o"; rmdir "\${o%/code}"; fi
done
mkdir -m 700 "$d" || exit 125
w=$3
case $w in "~") w=$HOME ;; "~/"*) w=$HOME/\${w#"~/"} ;; /* | "") ;; *) w=./$w ;; esac
end() { echo "$1" >"$d/code.new" && mv "$d/code.new" "$d/code"; exit "$1"; }
if [ -n "$w" ]; then CDPATH= cd -- "$w" || end 126; fi
trap : HUP INT QUIT TERM PIPE
echo "$$ $(began $$)" >"$d/waiter"
BATON_RUN=$1
export BATON_RUN
c=$4
run="$(cat <<'END'
${BEGAN}echo "$$ $(began $$)" >"$0/leader"
s=/bin/sh
if [ -x /bin/bash ]; then s=/bin/bash; fi
exec "$s" -c "$1"
END
)"
if [ "$2" = pipes ] && command -v setsid >/dev/null 2>&1; then set -- setsid; else set -m; set --; fi
${asOwnJob('"$@" /bin/sh -c "$run" "$d" "$c" 2>&1')}
end "$code"
`;

/** Arguments: mark, and the signal. While the command is about to start, this waits for it. */
export const SIGNAL = `${ALIVE}i=0
until [ -s "$d/leader" ] || ! alive waiter || [ "$i" -ge 10 ]; do sleep 1; i=$((i + 1)); done
ours() {
  if alive leader; then return 0; fi
  for f in /proc/[0-9]*/environ; do
    if grep -aq "BATON_RUN=$1" "$f" 2>/dev/null; then
      n=\${f%/environ}; s=$(cat "$n/stat" 2>/dev/null); s=\${s##*) }
      set -- "$1" $s
      if [ "$4" = "$p" ]; then return 0; fi
    fi
  done
  return 1
}
read -r p b <"$d/leader" || exit 1
if ours "$1"; then kill -s "$2" -- "-$p"; else exit 1; fi
`;

/** Argument: mark. What waits for the command may be about to write its code. */
export const STATUS = `${ALIVE}if alive leader || alive waiter; then echo running; exit; fi
if [ -s "$d/code" ]; then echo "exited $(cat "$d/code")"; fi
`;

/** Argument: mark. */
export const FORGET = `${ALIVE}rm -f "$d/leader" "$d/waiter" "$d/code" && rmdir "$d"
`;
