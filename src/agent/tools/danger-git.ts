/**
 * When git is dangerous: if it loses commits or changes, here or for others, or runs something else; and when it opens an
 * editor or a pager, whose keys can start other commands.
 */
import { removes } from "./danger-files.js";
import { first, has, joined, type Look, operands } from "./danger-words.js";
import { whySecret } from "./sensitive-places.js";
import type { Word } from "./shell-words.js";

const HISTORY = "throws away commits or changes that exist only here";

const OTHERS = "makes git run other commands";
/** Settings whose value is a command, or a folder with commands. */
const RUNS_OTHERS =
  /^(?:alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|gitproxy|askpass|attributesfile)|credential|url\.|include|sequence\.|gpg\.|protocol\.|diff\.external|merge\.tool|pager\.|man\.|browser\.|help\.browser|remote\.[^=]*(?:vcs|pack)|filter\.)|\.(?:textconv|command|cmd|path|helper|program|driver|clean|smudge|process)(?:=|$)|^--(?:exec-path|config-env)=/i;

interface GitCall {
  readonly command: string | undefined;
  /** Words before and after the command. */
  readonly before: readonly Word[];
  readonly rest: readonly Word[];
}

function gitCall(args: readonly Word[]): GitCall {
  const at = args.findIndex(
    ({ text }, index) =>
      !text.startsWith("-") &&
      !/^-(?:C|c)$|^--(?:git-dir|work-tree|namespace|exec-path|config-env)$/.test(
        args[index - 1]?.text ?? "",
      ),
  );
  if (at < 0) return { command: undefined, before: args, rest: [] };
  return { command: args[at]?.text, before: args.slice(0, at), rest: args.slice(at + 1) };
}

export function gits(args: readonly Word[], look: Look): string | null {
  const { command, before, rest } = gitCall(args);
  if (has(before, RUNS_OTHERS)) return OTHERS;
  const on = (pattern: RegExp) => has(rest, pattern);
  if (on(/^--(?:upload-pack|receive-pack|exec|open-files-in-pager|extcmd|ext-diff|textconv)|^ext::/))
    return OTHERS;
  const everything = rest.some(({ text }) => /^(?:\.|\.\/|:\/|\*|--)$/.test(text));
  switch (command) {
    case "clone":
      return on(/^-[a-z]*[uc]$|^--config|^--template/) ? OTHERS : null;
    case "grep":
      return on(/^-O/) ? OTHERS : null;
    case "diff":
      return on(/^--no-index$/) ? first(rest, ({ text }) => whySecret(text)) : null;
    case "difftool":
    case "mergetool":
      return OTHERS;
    case "push":
      return on(/^-[a-zA-Z]*[fd]|^--(?:for|del|mir|pru)|^\+|^:./)
        ? "overwrites or deletes commits that others use"
        : null;
    case "reset":
      return on(/^--(?:ha|me|ke)/) ? HISTORY : null;
    case "clean":
      return on(/^-[a-zA-Z]*f|^--force$/) && !on(/^-[a-zA-Z]*n|^--dry-run$/) ? HISTORY : null;
    case "checkout":
      return everything || on(/^-[a-zA-Z]*f|^--force$/) ? HISTORY : null;
    case "switch":
      return on(/^-[a-zA-Z]*[fC]$|^--(?:force|discard-changes|force-create)$/) ? HISTORY : null;
    case "restore":
      return everything && !(on(/^(?:--staged|-S)$/) && !on(/^(?:--worktree|-W)$/)) ? HISTORY : null;
    case "branch":
      return on(/^-[a-zA-Z]*D|^--delete$/) && on(/^-[a-zA-Z]*[Df]|^--force$/) ? HISTORY : null;
    case "tag":
      return on(/^-d$|^--delete$|^-f$|^--force$/) ? HISTORY : null;
    case "stash":
      return on(/^(?:drop|clear)$/) ? HISTORY : null;
    case "reflog":
      return on(/^(?:expire|delete)$/) ? HISTORY : null;
    case "gc":
      return on(/^--(?:prune|aggressive)/) ? HISTORY : null;
    case "filter-branch":
    case "filter-repo":
    case "replace":
      return "rewrites the history of the repository";
    case "update-ref":
      return on(/^-d$|^--delete$|^--stdin$/) ? HISTORY : null;
    case "worktree":
      return on(/^remove$/) && on(/^-f$|^--force$/) ? HISTORY : null;
    case "rm":
      return removes(rest, look);
    case "config":
      return on(/^!/) || (on(RUNS_OTHERS) && operands(rest).length > 1) ? OTHERS : null;
    case "submodule":
      return on(/^foreach$/)
        ? look.script(joined(rest.slice(rest.findIndex(({ text }) => text === "foreach") + 1)))
        : null;
    case "rebase":
      return on(/^(?:-x|--exec)/)
        ? look.script(joined(rest.slice(rest.findIndex(({ text }) => /^(?:-x|--exec)/.test(text)) + 1)))
        : null;
    case "bisect":
      return on(/^run$/) ? look.words(rest.slice(rest.findIndex(({ text }) => text === "run") + 1)) : null;
    default:
      return null;
  }
}

/** Options that give git its message, or make it ask for none. */
const MESSAGE =
  /^-[a-zA-Z]*[mFC]|^--(?:message|file|reuse-message|no-edit|fixup|dry-run|abort|quit|skip|no-commit|ff-only)/;

/** True if git opens an editor, a pager or a prompt in which keys can start something else. */
export function gitTakesKeys(args: readonly Word[], look: Look): boolean {
  const call = gitCall(args);
  return (look.getsInput && edits(call, look)) || (look.onTerminal && pages(call));
}

/** An editor such as vi also takes keys from a pipe. */
function edits({ command, rest }: GitCall, look: Look): boolean {
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

function pages({ command, before, rest }: GitCall): boolean {
  if (has(before, /^(?:-P|--no-pager)$/)) return false;
  if (/^(?:branch|tag|stash)$/.test(command ?? ""))
    return has(rest, /^(?:-[alrv]+|--list|list|show)$/) || (command !== "stash" && rest.length === 0);
  return /^(?:log|show|diff|blame|annotate|reflog|shortlog|whatchanged|grep|range-diff|help)$/.test(
    command ?? "",
  );
}
