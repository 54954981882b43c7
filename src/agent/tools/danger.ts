/**
 * Which shell commands Baton asks about before they run: commands that destroy something for good, reach beyond the
 * current work, or hide what they run. Pure. It looks at the text only, so it is a question to a person and not a wall:
 * somebody who wants to get past it can.
 */
import { posix } from "node:path";
import { LONGEST_CHECKED } from "../../util/longest-checked.js";
import { isAllowed } from "./danger-allow.js";
import { isInterpreter } from "./danger-code.js";
import { dangerOfSetting, dangerOfSettingWord } from "./danger-environment.js";
import { leavesFolder } from "./danger-files.js";
import { hasOuterInput, isClient, TAKES_COMMANDS, takesCommands } from "./danger-input.js";
import { hasOuterOutput, isKeyed, TAKES_KEYS, takesKeys } from "./danger-keys.js";
import { dangerOfLaunching } from "./danger-options.js";
import { changed, isOutside, OUTSIDE, type WorkPlace } from "./danger-outside.js";
import { RULES } from "./danger-rules.js";
import { dangerOfInterpreter, dangerOfShell, isShell, NOT_KNOWN } from "./danger-shells.js";
import { first, isUnknown, type Look } from "./danger-words.js";
import { filesMade, isMade, type MadeFiles, NOTHING_MADE } from "./just-made.js";
import { whySecret, whySecretPattern, whySensitive } from "./sensitive-places.js";
import { parseShell, type SimpleCommand } from "./shell-parse.js";
import { UNKNOWN } from "./shell-text.js";
import { asWord, type Word } from "./shell-words.js";
import { readingsOf } from "./typed-readings.js";

const DEEPEST = 8;
/** How many characters are read in all, also if nested commands make some be read again. */
const MOST_READ = 10 * LONGEST_CHECKED;
/** Typed text is read in several ways. */
const TYPED_READ = 6 * MOST_READ;

const TOO_LONG = "is too long to check";
export const GOES_ON = "may belong to a command that is too long to check";
const TOO_MANY = "has too many commands inside commands";
const JUST_MADE = "runs something that it has just written, copied or downloaded";
const UNUSUAL = "runs a program whose name has unusual characters in it";
const UNREADABLE = "can't be checked: a quote or bracket is not closed, or it is nested too deep";
/** Text that is no command may have these, too. */
const UNCLEAR = new Set([NOT_KNOWN, UNUSUAL]);

/** Commands that run the command in their arguments, which may start at any word. */
const WRAPPERS = new Set(
  "env command builtin exec nohup setsid time nice ionice chrt taskset stdbuf timeout unbuffer caffeinate strace ltrace flock watch xargs parallel busybox toybox chronic script entr coproc npx bunx pnpx logsave setarch linux32 linux64 i386 x86_64 uname26 capsh cpulimit rlwrap sshpass fakeroot fakechroot dbus-run-session dbus-launch setpriv torsocks torify proxychains proxychains4 tsocks valgrind perf choom prlimit numactl catchsegv xvfb-run daemonize daemon chpst softlimit envdir multitime hyperfine bundle poetry pipenv pdm hatch rye uv conda mamba direnv mise asdf nix-shell nix ld.so ip".split(
    " ",
  ),
);

/** Why Baton should ask about a command, in words that follow "This"; null if it need not. */
export function dangerOf(
  command: string,
  { allow, place, getsInput = false, hasTerminal = false }: DangerContext = {},
): string | null {
  if (command.length > LONGEST_CHECKED) return TOO_LONG;
  if (allow && isAllowed(command, allow)) return null;
  const reason = dangerOfScript(command, 0, {
    unread: MOST_READ,
    place,
    getsInput,
    hasTerminal: getsInput && hasTerminal,
    isTyped: false,
  });
  return reason ?? (allow ? "is not on the list of allowed commands" : null);
}

interface DangerContext {
  /** If given, Baton runs these without asking and asks about all others. */
  readonly allow?: readonly string[];
  /** If given, Baton asks about changes to files elsewhere. */
  readonly place?: WorkPlace;
  /** True if something can be typed into it while it runs. */
  readonly getsInput?: boolean;
  /** True if that is typed on a terminal. */
  readonly hasTerminal?: boolean;
}

/**
 * The same for text that is typed into a program, in case that runs it as commands. `unsent` was typed before, is not
 * complete, and was checked then. Much of such text is no command, so Baton asks only about what is clear.
 */
export function dangerOfTyped(text: string, place: WorkPlace, unsent = ""): string | null {
  if (/^[\r\n]*$/.test(text)) return null;
  if (text.length > LONGEST_CHECKED) return TOO_LONG;
  if (unsent.length + text.length > LONGEST_CHECKED) return GOES_ON;
  const budget = { unread: TYPED_READ, place, getsInput: false, hasTerminal: false, isTyped: true };
  const seen = new Set<string>();
  for (const script of readingsOf(unsent, text)) {
    if (!mayRead(script.length, budget)) return TOO_MANY;
    if (seen.has(script)) continue;
    seen.add(script);
    const reason = dangerOfScript(script, 0, budget);
    if (reason) return reason;
  }
  return null;
}

/** How much may still be read: nested commands could go on without end. */
interface Budget {
  unread: number;
  readonly place: WorkPlace | undefined;
  readonly getsInput: boolean;
  readonly hasTerminal: boolean;
  readonly isTyped: boolean;
}

/** The cost of each parse, however short the text, in characters. */
const PARSING = 100;
const LOOKING = 20;

/** True if this much may still be read; subtracts it. */
function mayRead(characters: number, budget: Budget): boolean {
  budget.unread -= characters;
  return budget.unread >= 0;
}

function lengthOf(words: readonly Word[]): number {
  return words.reduce((sum, { text }) => sum + text.length + 1, 0);
}

function dangerOfScript(text: string, depth: number, budget: Budget): string | null {
  if (depth > DEEPEST || !mayRead(PARSING + text.length, budget)) return TOO_MANY;
  const { commands, functions, isUnclear, isUnread } = parseShell(text);
  let isElsewhere = false;
  let made: MadeFiles = NOTHING_MADE;
  const feeders = new Set(commands.map(({ feeder }) => feeder));
  for (const command of commands) {
    if (!mayRead(LOOKING + lengthOf(command.words), budget)) return TOO_MANY;
    const onTerminal = budget.hasTerminal && !feeders.has(command) && hasOuterOutput(command);
    const look = lookFrom(command, { isElsewhere, onTerminal }, depth, budget);
    const reason = dangerOfCommand(command, look) ?? forkBomb(command, functions);
    if (reason && !(budget.isTyped && UNCLEAR.has(reason))) return reason;
    if (isMade(command, made)) return JUST_MADE;
    isElsewhere ||= leavesFolder(command);
    made = filesMade(command, made);
  }
  return isUnread || (isUnclear && !budget.isTyped) ? UNREADABLE : null;
}

function lookFrom(
  command: SimpleCommand,
  where: Pick<Look, "isElsewhere" | "onTerminal">,
  depth: number,
  budget: Budget,
): Look {
  const { isElsewhere } = where;
  return {
    ...where,
    input: inputOf(command),
    getsInput: budget.getsInput && hasOuterInput(command),
    isOutside: (path) => budget.place !== undefined && isOutside(path, budget.place, isElsewhere),
    script: (inner) => dangerOfScript(inner, depth + 1, budget),
    words: (inner, goesElsewhere = false) =>
      mayRead(LOOKING + lengthOf(inner), budget)
        ? dangerOfWords(
            inner,
            command,
            lookFrom(command, { ...where, isElsewhere: isElsewhere || goesElsewhere }, depth, budget),
          )
        : TOO_MANY,
  };
}

function dangerOfCommand(command: SimpleCommand, look: Look): string | null {
  const { words, assignments, redirects } = command;
  for (const { name, value } of assignments) {
    const why = dangerOfSetting(name, value);
    if (why) return why;
  }
  for (const { operator, target } of redirects) {
    if (/^\/dev\/(?:tcp|udp)\//.test(target)) return "opens a connection to another machine from the shell";
    const writes = operator.includes(">") && !/^(?:\d+|-)$/.test(target);
    const why = operator.includes(">") ? whySensitive(target) : whySecret(target);
    if (why) return why;
    if (writes && look.isOutside(target)) return OUTSIDE;
  }
  return dangerOfWords(words, command, look) ?? whySecretWords(words, look);
}

/** These print their arguments, or whether files exist, but not what is in the files. */
const SAYS_NAMES = new Set(["echo", "printf"]);
const LOOKS_ONLY = new Set("ls stat test [ touch mkdir source . docker docker-compose cd pushd".split(" "));

function whySecretWords([program, ...args]: readonly Word[], look: Look): string | null {
  const name = posix.basename(program?.text ?? "");
  if (SAYS_NAMES.has(name)) return null;
  const why = ({ text, isPattern }: Word): string | null => {
    const value = text.replace(/^-{1,2}[\w-]*=|^@|^file:\/\//, "");
    return (
      whySecret(text) ??
      whySecret(value) ??
      (isPattern ? whySecretPattern(value) : null) ??
      (look.isElsewhere ? inKeys(text) : null)
    );
  };
  const reason = first(args, why) ?? whySecret(program?.text ?? "");
  return LOOKS_ONLY.has(name) && reason !== null && !/Baton|process/.test(reason) ? null : reason;
}

/** After `cd ~/.ssh` only the names are left. */
function inKeys(text: string): string | null {
  return /^(?:id_\w+|credentials|secring\.gpg|private-keys.*)$/.test(text) ? "reads keys or passwords" : null;
}

function dangerOfWords(words: readonly Word[], command: SimpleCommand, look: Look): string | null {
  const [program, ...args] = words;
  if (!program) return null;
  const reason = dangerOfProgram(program, args, command, look);
  if (reason !== null) return reason;
  const name = programName(program.text);
  if (look.getsInput && takesCommands(name, args)) return TAKES_COMMANDS;
  return takesKeys(name, args, look) ? TAKES_KEYS : null;
}

function dangerOfProgram(
  program: Word,
  args: readonly Word[],
  command: SimpleCommand,
  look: Look,
): string | null {
  const { text } = program;
  if (
    text.includes(UNKNOWN) ||
    (program.isPattern && text !== "[") ||
    /[{}]/.test(text.replace("{}", UNKNOWN))
  )
    return NOT_KNOWN;
  if (/[^ -~]/.test(text)) return UNUSUAL;
  const name = programName(text);
  const launching = dangerOfLaunching(name, args, look);
  if (launching) return launching;
  if (isShell(name)) return dangerOfShell(args, command, look);
  const isElsewhere = changed(name, args).some(look.isOutside);
  if (isInterpreter(name)) return dangerOfInterpreter(name, args, command) ?? (isElsewhere ? OUTSIDE : null);
  switch (name) {
    case "eval":
      return args.some(isUnknown) ? NOT_KNOWN : look.script(args.map((word) => word.text).join(" "));
    case "source":
    case ".":
      return args.slice(0, 1).some((file) => isUnknown(file) || isStandardInput(file.text))
        ? NOT_KNOWN
        : null;
  }
  const reason = Object.hasOwn(RULES, name) ? (RULES[name]?.(args, look) ?? null) : null;
  if (reason === null && isElsewhere) return OUTSIDE;
  return reason ?? (WRAPPERS.has(name) ? dangerOfWrapped(name, args, look) : null);
}

/** The dynamic loader is a wrapper too, under many names. */
function programName(text: string): string {
  const name = posix.basename(text);
  return /^ld(?:-linux.*|-musl.*|\d*)?\.so/.test(name) ? "ld.so" : name;
}

function isStandardInput(path: string): boolean {
  return /^\/dev\/(?:stdin|fd\/\d+)$|^\/proc\/self\/fd\/\d+$/.test(path);
}

/** Wrappers have many options: so the command may start at any word that is a known command. */
function dangerOfWrapped(wrapper: string, words: readonly Word[], look: Look): string | null {
  const takesMore = wrapper === "xargs" || wrapper === "parallel";
  const filled = takesMore ? replaced(words) : words;
  const goesElsewhere = words.some(({ text }) => /^-C|^--chdir/.test(text));
  const begin = filled.findIndex(
    ({ text }, at) =>
      !/^-|^\d[\d.]*[smhd]?$|^\w+=/.test(text) &&
      !(takesMore && /^-[IEdaLnPs]$/.test(filled[at - 1]?.text ?? "")),
  );
  if (begin >= 0 && filled.slice(begin, begin + 1).some(isUnknown)) return NOT_KNOWN;
  if (wrapper === "parallel" && /^(?:|:::.*)$/.test(filled[begin]?.text ?? "")) return NOT_KNOWN;
  const set = first(words, ({ text }) => dangerOfSettingWord(text));
  if (set) return set;
  // `-S "…"` and `-c "…"`: a command in one word.
  for (const { text } of filled) {
    const script = text.replace(
      /^-[a-zA-Z]*[Sc](?=[^a-zA-Z-]*[a-z]+\s)|^--(?:split-string|command|run)=/,
      "",
    );
    const reason = /\s/.test(script) && !script.includes(UNKNOWN) ? look.script(script) : null;
    if (reason) return reason;
  }
  const more = takesMore ? [asWord(UNKNOWN)] : [];
  for (const [at, { text }] of filled.entries()) {
    const name = programName(text);
    const reason =
      isKnown(name) || (at === begin && isKeyed(name))
        ? look.words([...filled.slice(at), ...more], goesElsewhere)
        : null;
    if (reason) return reason;
  }
  return null;
}

function isKnown(name: string): boolean {
  return (
    Object.hasOwn(RULES, name) ||
    name === "rmdir" ||
    isShell(name) ||
    isInterpreter(name) ||
    isClient(name) ||
    name === "eval"
  );
}

/** What `-I%` or `{}` stands for is known only when it runs. */
function replaced(words: readonly Word[]): Word[] {
  const marks = ["{}"];
  for (const [at, { text }] of words.entries()) {
    const [, glued] = /^(?:-I|--replace=)(.*)$/s.exec(text) ?? [];
    if (glued !== undefined) marks.push(glued || (words[at + 1]?.text ?? "{}"));
  }
  return words.map((word, at) =>
    !/^-I$/.test(words[at - 1]?.text ?? "") &&
    marks.some((mark) => word.text.includes(mark)) &&
    !/^-I/.test(word.text)
      ? { ...word, text: UNKNOWN }
      : word,
  );
}

/** The input text: from a here-document, or printed literally by the command before. */
function inputOf(command: SimpleCommand): string {
  const said = command.feeder?.words.map(({ text }) => text).join(" ") ?? "";
  return [command.input ?? "", said].join("\n");
}

/** A function that pipes into itself, or leaves itself running. */
function forkBomb(
  { words, feeder, inBackground }: SimpleCommand,
  functions: ReadonlySet<string>,
): string | null {
  const name = words[0]?.text ?? "";
  if (!functions.has(name)) return null;
  return inBackground || feeder?.words[0]?.text === name ? "starts itself again and again" : null;
}
