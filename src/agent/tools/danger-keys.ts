/**
 * Programs that can start a shell when somebody presses their keys: pagers, editors and what opens one. Most of them do
 * so only on a terminal: with pipes, `git log` prints and ends.
 */
import { gitCall } from "./danger-git.js";
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
const always: TakesKeys = (_, look) => look.getsInput;

/** Their names are also plain words, so after `npx` or `env` they count as programs only in the first place. */
const PROGRAMS: Readonly<Record<string, TakesKeys>> = {
  ...each(
    "less more most zless zmore bzless bzmore xzless zstdless man info perldoc lynx w3m links elinks mc ranger nnn lf vifm tig lazygit ncdu irssi weechat",
    onTerminal,
  ),
  ...each("login visudo vipw vigr sudoedit", always),
  dc: (args, look) => look.getsInput && !has(args, /^-[ef]|^--(?:expression|file)/),
  scheme: (args, look) => look.getsInput && !has(args, /^--(?:script|program)$/),
  crontab: (args, look) => look.getsInput && has(args, /^-[a-z]*e/),
  journalctl: (args, look) => look.onTerminal && !has(args, /^-[a-zA-Z]*f|^--follow$|^--no-pager$/),
  systemctl: (args, look) =>
    look.onTerminal &&
    !has(args, /^--no-pager$/) &&
    /^(?:|status|show|cat|help|list-[a-z-]+)$/.test(operands(args)[0]?.text ?? ""),
  git: (args, look) => gitEdits(args, look) || gitPages(args, look),
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

const MESSAGE =
  /^-[a-zA-Z]*[mFC]|^--(?:message|file|reuse-message|no-edit|fixup|dry-run|abort|quit|skip|no-commit|ff-only)/;

/** An editor such as vi also takes keys from a pipe. */
function gitEdits(args: readonly Word[], look: Look): boolean {
  if (!look.getsInput) return false;
  const { command, rest } = gitCall(args);
  const on = (pattern: RegExp): boolean => has(rest, pattern);
  switch (command) {
    case "commit":
      return !on(MESSAGE) || on(/^-[a-z]*[pe]$|^--(?:patch|edit)$/);
    case "rebase":
      return on(/^-[a-z]*i$|^--(?:interactive|edit-todo)$/);
    case "tag":
      return on(/^-[a-z]*[asu]$|^--(?:annotate|sign)$/) && !on(MESSAGE);
    case "notes":
      return on(/^(?:add|append|edit)$/) && !on(MESSAGE);
    case "config":
      return on(/^(?:-e|--edit|edit)$/);
    case "branch":
      return on(/^--edit-description$/);
    case "add":
    case "checkout":
    case "restore":
    case "reset":
    case "stash":
      return on(/^-[a-z]*[pe]$|^--(?:patch|edit)$/);
    case "merge":
    case "pull":
    case "revert":
      return look.onTerminal && !on(MESSAGE) && !on(/^--(?:rebase|no-rebase|squash)$/);
    default:
      return false;
  }
}

function gitPages(args: readonly Word[], look: Look): boolean {
  const { command, before, rest } = gitCall(args);
  if (!look.onTerminal || has(before, /^(?:-P|--no-pager)$/)) return false;
  if (/^(?:branch|tag|stash)$/.test(command ?? ""))
    return has(rest, /^(?:-[alrv]+|--list|list|show)$/) || (command !== "stash" && rest.length === 0);
  return /^(?:log|show|diff|blame|annotate|reflog|shortlog|whatchanged|grep|range-diff|help)$/.test(
    command ?? "",
  );
}
