/**
 * Which shell commands should be asked about before they run: those that destroy what cannot be brought back, reach
 * beyond the work at hand, or whose text does not say what they run. Pure; it looks at the text alone, so it is a
 * question to a person, not a wall: who wants to get past it can.
 */
import { posix } from "node:path";
import { RULES } from "./danger-rules.js";
import { codeDanger, isInterpreter } from "./danger-services.js";
import { first, type Look } from "./danger-words.js";
import { whySecret, whySensitive } from "./sensitive-places.js";
import { parseShell, type SimpleCommand } from "./shell-parse.js";
import { UNKNOWN } from "./shell-text.js";
import type { Word } from "./shell-words.js";

const LONGEST = 10_000;
const DEEPEST = 8;
const MOST_LOOKS = 2_000;

const TOO_MANY = "has too many commands within commands";
const JUST_WRITTEN = "runs a file that it has just written or downloaded";
const NOT_KNOWN = "runs something that is only known when it runs";

/** Commands that run the command in their arguments; where it begins is tried at every word. */
const WRAPPERS = new Set(
  "env command builtin exec nohup setsid time nice ionice chrt taskset stdbuf timeout unbuffer caffeinate strace ltrace flock watch xargs parallel busybox toybox chronic systemd-run script entr coproc npx bunx pnpx".split(
    " ",
  ),
);
const SHELLS = new Set("sh bash zsh dash ash ksh mksh fish csh tcsh rbash pwsh".split(" "));
const ASSIGNMENTS =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|PYTHONSTARTUP|PERL5OPT)$/;

/** Why a command should be asked about, in words that follow "because it"; null where there is no need. */
export function dangerOf(command: string): string | null {
  return command.length > LONGEST
    ? "is too long to be looked through"
    : dangerOfScript(command, 0, { looks: MOST_LOOKS });
}

/** How often commands may still be looked at: those that run others could be nested to no end. */
interface Budget {
  looks: number;
}

function dangerOfScript(text: string, depth: number, budget: Budget): string | null {
  if (depth > DEEPEST) return TOO_MANY;
  const { commands, functions, isUnclear } = parseShell(text);
  let isElsewhere = false;
  const written = new Set<string>();
  for (const command of commands) {
    const look: Look = {
      isElsewhere,
      input: inputOf(command),
      script: (inner) => dangerOfScript(inner, depth + 1, budget),
      words: (inner) => (budget.looks-- > 0 ? dangerOfWords(inner, command, look) : TOO_MANY),
    };
    if (budget.looks-- <= 0) return TOO_MANY;
    const reason = dangerOfCommand(command, look) ?? forkBomb(command, functions);
    if (reason) return reason;
    if (filesRun(command).some((name) => written.has(name))) return JUST_WRITTEN;
    isElsewhere ||= leavesFolder(command);
    for (const name of filesWritten(command)) written.add(name);
  }
  return isUnclear ? "cannot be read: a quote or a bracket is not closed, or there are too many" : null;
}

function dangerOfCommand(command: SimpleCommand, look: Look): string | null {
  const { words, assignments, redirects } = command;
  const set = assignments.find(({ name }) => ASSIGNMENTS.test(name));
  if (set) return `sets ${set.name}, which changes what other commands run`;
  for (const { operator, target } of redirects) {
    if (/^\/dev\/(?:tcp|udp)\//.test(target)) return "opens a connection to another machine from the shell";
    const why = operator.includes(">") ? whySensitive(target) : whySecret(target);
    if (why) return why;
  }
  const why = whySecretWords(words);
  if (why) return why;
  return words.length === 0 ? null : dangerOfWords(words, command, look);
}

/** These say what they are given, or whether it is there, but not what is in it. */
const SAYS_NAMES = new Set(["echo", "printf"]);
const LOOKS_ONLY = new Set("ls stat test [ touch mkdir source . git docker docker-compose".split(" "));

function whySecretWords([program, ...args]: readonly Word[]): string | null {
  const name = posix.basename(program?.text ?? "");
  if (SAYS_NAMES.has(name)) return null;
  const reason = first(args, ({ text }) => whySecret(text)) ?? whySecret(program?.text ?? "");
  return LOOKS_ONLY.has(name) && reason !== null && !/Baton|process/.test(reason) ? null : reason;
}

function dangerOfWords(words: readonly Word[], command: SimpleCommand, look: Look): string | null {
  const [program, ...args] = words;
  if (!program) return null;
  if (
    program.text.includes(UNKNOWN) ||
    (program.isPattern && program.text !== "[") ||
    /[{}]/.test(program.text.replace("{}", UNKNOWN))
  )
    return NOT_KNOWN;
  const name = posix.basename(program.text);
  if (WRAPPERS.has(name)) return dangerOfWrapped(name, args, look);
  if (SHELLS.has(name)) return dangerOfShell(args, command, look);
  if (isInterpreter(name)) return dangerOfInterpreter(args, command, look);
  switch (name) {
    case "eval":
      return args.some(isUnknown) ? NOT_KNOWN : look.script(args.map(({ text }) => text).join(" "));
    case "source":
    case ".":
      return args.slice(0, 1).some((file) => isUnknown(file) || isStandardInput(file.text))
        ? NOT_KNOWN
        : null;
    default:
      return Object.hasOwn(RULES, name) ? (RULES[name]?.(args, look) ?? null) : null;
  }
}

/** Options of wrappers are many: so the command may begin at any word that is the name of one we know. */
function dangerOfWrapped(wrapper: string, words: readonly Word[], look: Look): string | null {
  const takesMore = wrapper === "xargs" || wrapper === "parallel";
  const filled = words.map((word) =>
    takesMore && word.text.includes("{}") ? { ...word, text: UNKNOWN } : word,
  );
  const begin = filled.findIndex(({ text }) => !/^-|^\d[\d.]*[smhd]?$|^\w+=/.test(text));
  if (begin >= 0 && filled.slice(begin, begin + 1).some(isUnknown)) return NOT_KNOWN;
  const set = words.find(({ text }) => ASSIGNMENTS.test(/^(\w+)=/.exec(text)?.[1] ?? ""));
  if (set) return "sets a variable that changes what other commands run";
  // `-S "…"` and `-c "…"`: a command in one word.
  for (const { text } of filled) {
    const reason = /\s/.test(text) && !text.includes(UNKNOWN) ? look.script(text) : null;
    if (reason) return reason;
  }
  const more: Word[] = takesMore ? [{ text: UNKNOWN, isPattern: false, isFed: false }] : [];
  for (const [at, { text }] of filled.entries()) {
    const name = posix.basename(text);
    const isKnown = Object.hasOwn(RULES, name) || SHELLS.has(name) || isInterpreter(name) || name === "eval";
    const reason = isKnown ? look.words([...filled.slice(at), ...more]) : null;
    if (reason) return reason;
  }
  return null;
}

function dangerOfShell(args: readonly Word[], command: SimpleCommand, look: Look): string | null {
  const flag = args.findIndex(({ text }) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text) || text === "--command");
  if (flag >= 0) {
    const code = args.slice(flag + 1).find(({ text }) => !/^[-+]/.test(text));
    if (!code) return null;
    return isUnknown(code)
      ? (look.script(code.text.replaceAll(UNKNOWN, "''")) ?? NOT_KNOWN)
      : look.script(code.text);
  }
  const file = args.find(({ text }) => !/^[-+]./.test(text));
  if (file && file.text !== "-" && !isStandardInput(file.text)) return isUnknown(file) ? NOT_KNOWN : null;
  if (command.input !== null) return command.input.includes(UNKNOWN) ? NOT_KNOWN : look.script(command.input);
  if (takesUnknown(command)) return NOT_KNOWN;
  return command.feeder ? "gives what another command prints to a shell to run" : null;
}

function dangerOfInterpreter(args: readonly Word[], command: SimpleCommand, look: Look): string | null {
  const flag = args.findIndex(({ text }) => /^-[a-zA-Z]*[ceErp]$|^--(?:eval|print|execute)$/.test(text));
  const code = flag >= 0 ? args[flag + 1] : undefined;
  if (code) return isUnknown(code) ? NOT_KNOWN : codeDanger(code.text);
  // `-e'…'`, with other letters before the e.
  const glued = args
    .filter(({ text }) => /^-[a-zA-Z]/.test(text))
    .flatMap(({ text }) => [2, 3, 4].map((at) => text.slice(at)));
  const reason = glued.map(codeDanger).find((found) => found !== null);
  if (reason) return reason;
  const file = args.find(({ text }) => !/^-./.test(text));
  if (file && file.text !== "-" && !isStandardInput(file.text)) return isUnknown(file) ? NOT_KNOWN : null;
  if (command.input !== null) return codeDanger(look.input);
  if (takesUnknown(command)) return NOT_KNOWN;
  return command.feeder ? "gives what another command prints to an interpreter to run" : null;
}

function takesUnknown({ redirects }: SimpleCommand): boolean {
  return redirects.some(({ operator, target }) => operator === "<" && target.includes(UNKNOWN));
}

function isUnknown(word: Word): boolean {
  return word.isFed || word.text.includes(UNKNOWN);
}

function isStandardInput(path: string): boolean {
  return /^\/dev\/(?:stdin|fd\/\d+)$|^\/proc\/self\/fd\/\d+$/.test(path);
}

/** Text that goes in: of a here-document, or what the command before says in so many words. */
function inputOf(command: SimpleCommand): string {
  const said = command.feeder?.words.map(({ text }) => text).join(" ") ?? "";
  return [command.input ?? "", said].join("\n");
}

/** The names of files that a command makes: what runs one of them later, runs what nobody has seen. */
function filesWritten({ words, redirects }: SimpleCommand): string[] {
  const into = redirects.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  const isDownload = /^(?:curl|wget|aria2c|tee)$/.test(posix.basename(words[0]?.text ?? ""));
  const named = isDownload ? words.slice(1).map(({ text }) => text) : [];
  return [...into, ...named]
    .map((path) => posix.basename(path))
    .filter((name) => name !== "" && name !== "null");
}

/** The names of files that a command runs, as far as it names them. */
function filesRun({ words }: SimpleCommand): string[] {
  const names = words.map(({ text }) => posix.basename(text));
  const [first = ""] = names;
  return SHELLS.has(first) || isInterpreter(first) || first === "source" || first === "."
    ? names
    : names.slice(0, 1);
}

/** `cd` to where relative paths mean much: the root, a home folder, upwards, or nobody knows. */
function leavesFolder({ words }: SimpleCommand): boolean {
  const [first, ...args] = words.slice(/^(?:command|builtin)$/.test(words[0]?.text ?? "") ? 1 : 0);
  if (first?.text !== "cd" && first?.text !== "pushd") return false;
  const target = args.find(({ text }) => !/^-[LPe@]+$/.test(text))?.text;
  if (target === undefined || target === "-" || target.includes(UNKNOWN)) return true;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(target) || /^~[^/]*\/?$/.test(target)) return true;
  return target.startsWith("/") && !/^\/tmp\/./.test(target) && target.split("/").filter(Boolean).length <= 2;
}

/** A function that feeds itself or leaves itself running. */
function forkBomb(
  { words, feeder, inBackground }: SimpleCommand,
  functions: ReadonlySet<string>,
): string | null {
  const name = words[0]?.text ?? "";
  if (!functions.has(name)) return null;
  return inBackground || feeder?.words[0]?.text === name ? "starts itself again and again" : null;
}
