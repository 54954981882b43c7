/**
 * Commands that the owner allows without a question: each entry is a program and, if wanted, the words that follow it
 * (`git status`, `npm test`). A command line passes if every command in it is allowed, and if nothing else in it could
 * do harm: no write outside the working folder, no secret, nothing that can't be parsed.
 */
import { dangerOfSetting } from "./danger-environment.js";
import { leavesFolder } from "./danger-files.js";
import { whySecret, whySecretPattern, whySensitive } from "./sensitive-places.js";
import { parseShell, type SimpleCommand } from "./shell-parse.js";
import { UNKNOWN } from "./shell-text.js";

export function isAllowed(command: string, allow: readonly string[]): boolean {
  const entries = allow.map((entry) => entry.split(" "));
  const { commands, isUnclear } = parseShell(command);
  return !isUnclear && commands.every((each) => isHarmless(each) && isListed(each, entries));
}

function isListed({ words }: SimpleCommand, entries: readonly (readonly string[])[]): boolean {
  if (words.length === 0) return true;
  return entries.some((entry) =>
    entry.every((word, at) => words[at]?.text === word && words[at]?.isPattern === false),
  );
}

/** What a command does beside running its program. */
function isHarmless(command: SimpleCommand): boolean {
  const { words, assignments, redirects } = command;
  return (
    !leavesFolder(command) &&
    assignments.every(({ name, value }) => dangerOfSetting(name, value) === null) &&
    redirects.every(({ operator, target }) =>
      operator.includes(">") ? isInside(target) : whySecret(target) === null,
    ) &&
    words.every(({ text, isPattern }) => !whySecret(text) && !(isPattern && whySecretPattern(text)))
  );
}

function isInside(target: string): boolean {
  if (/^\d+$|^-$|^\/dev\/(?:null|stdout|stderr)$/.test(target)) return true;
  return !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(target) && !target.includes(UNKNOWN) && !whySensitive(target);
}
