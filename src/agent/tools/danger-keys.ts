/**
 * Programs that can start a shell when somebody presses their keys: pagers, editors and what opens one. Most of them do
 * so only on a terminal: with pipes, `git log` prints and ends.
 */
import { gitTakesKeys } from "./danger-git.js";
import { has, type Look, operands } from "./danger-words.js";
import type { SimpleCommand } from "./shell-parse.js";
import type { Word } from "./shell-words.js";

export const TAKES_KEYS =
  "opens a program in which keys can start other commands, and Baton can't check all of them";

/** True if a command prints where the whole command line does. */
export function hasOuterOutput({ redirects, inBackground }: SimpleCommand): boolean {
  return (
    !inBackground &&
    !redirects.some(
      ({ operator, target }) => /^1?&?>/.test(operator) && !/^(?:\d+|-|\/dev\/tty)$/.test(target),
    )
  );
}

type TakesKeys = (args: readonly Word[], look: Look) => boolean;

const onTerminal: TakesKeys = (_, look) => look.onTerminal;
const withInput: TakesKeys = (_, look) => look.getsInput;

/** Their names are also plain words, so after `npx` or `env` they count as programs only in the first place. */
const PROGRAMS: Readonly<Record<string, TakesKeys>> = {
  ...each(
    "less more most zless zmore bzless bzmore xzless zstdless man info perldoc lynx w3m links elinks mc mcedit mcview ranger nnn lf vifm tig lazygit ncdu irssi weechat",
    onTerminal,
  ),
  ...each("login visudo vipw vigr sudoedit", withInput),
  dc: (args, look) => look.getsInput && !has(args, /^-[ef]|^--(?:expression|file)/),
  scheme: (args, look) => look.getsInput && !has(args, /^--(?:script|program)$/),
  crontab: (args, look) => look.getsInput && has(args, /^-[a-z]*e/),
  journalctl: (args, look) => look.onTerminal && !has(args, /^-[a-zA-Z]*f|^--follow$|^--no-pager$/),
  systemctl: (args, look) =>
    look.onTerminal &&
    !has(args, /^--no-pager$/) &&
    /^(?:|status|show|cat|help|list-[a-z-]+)$/.test(operands(args)[0]?.text ?? ""),
  git: gitTakesKeys,
};

function each(names: string, takes: TakesKeys): Record<string, TakesKeys> {
  return Object.fromEntries(names.split(" ").map((name) => [name, takes]));
}

/** True if keys that are typed into it can start something else. */
export function takesKeys(name: string, args: readonly Word[], look: Look): boolean {
  if (!isKeyed(name) || (args.length === 1 && has(args, /^(?:--?version|--?help|-V|-h)$/))) return false;
  return PROGRAMS[name]?.(args, look) === true;
}

export function isKeyed(name: string): boolean {
  return Object.hasOwn(PROGRAMS, name);
}
