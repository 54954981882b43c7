/**
 * Programs that take commands or code as their input. In the foreground a command gets no input; in the background it gets
 * what is typed into it later, when nobody looks at it as a command.
 */
import { isInterpreter } from "./danger-code.js";
import { isShell } from "./danger-shells.js";
import { has, operands } from "./danger-words.js";
import type { SimpleCommand } from "./shell-parse.js";
import type { Word } from "./shell-words.js";

export const TAKES_COMMANDS = "takes commands as input, and Baton can't check all of them";

/** True if the input of a command is the one of the whole command line. */
export function hasOuterInput({ feeder, input, redirects, inBackground }: SimpleCommand): boolean {
  if (inBackground || input !== null) return false;
  const from = redirects.filter(({ operator }) => operator.startsWith("<"));
  if (from.length > 0) return from.some(({ target }) => isInput(target));
  return feeder === null || /^(?:cat|tee)$/.test(feeder.words[0]?.text ?? "");
}

function isInput(path: string): boolean {
  return /^\/dev\/(?:tty|stdin|fd\/\d+)$|^\/proc\/self\/fd\/\d+$/.test(path);
}

type TakesCommands = (args: readonly Word[]) => boolean;

const always: TakesCommands = () => true;
const unlessTold =
  (option: RegExp, most: number): TakesCommands =>
  (args) =>
    !has(args, option) && operands(args).length <= most;

const SQL = unlessTold(/^-[a-zA-Z]*[cefl]$|^--(?:command|execute|file|list|eval|query)/, 99);

/** Beside shells and interpreters. */
const CLIENTS: Readonly<Record<string, TakesCommands>> = {
  ...Object.fromEntries(
    "psql mysql mariadb sqlcmd clickhouse-client cqlsh mongosh mongo".split(" ").map((name) => [name, SQL]),
  ),
  sqlite3: unlessTold(/^-(?:version|help)$/, 1),
  duckdb: unlessTold(/^-(?:c|s|version|help)$/, 1),
  "redis-cli": (args) => operands(withoutValues(args, /^-[hpanuitrx]$/)).length === 0,
  // `-N` runs nothing there, `-n` and `-f` give it no input.
  ssh: (args) => !has(args, /^-[a-zA-Z]*[NnfVQGO]/) && operands(withoutValues(args, SSH_VALUES)).length <= 1,
  ...Object.fromEntries(
    "mosh slogin rlogin rsh sftp ghci bpython ptpython nix-shell jdb pdb pdb3 ipdb sqlplus coqtop rocq mit-scheme"
      .split(" ")
      .map((name) => [name, always]),
  ),
  "octave-cli": unlessTold(/^--eval/, 0),
  maxima: unlessTold(/^-b|^--batch/, 99),
  sage: unlessTold(/^-[a-z]$|^--(?:notebook|version)/, 0),
  jupyter: (args) => has(args, /^(?:console|qtconsole)$/),
  script: (args) => !has(args, /^-[a-zA-Z]*c|^--command/),
  ...Object.fromEntries(
    "docker podman nerdctl kubectl"
      .split(" ")
      .map((name): [string, TakesCommands] => [
        name,
        (args) =>
          has(args, /^(?:attach|start)$|^-[a-z]*i[a-z]*$|^--interactive/) && !has(args, /^(?:build|images)$/),
      ]),
  ),
};

const SSH_VALUES = /^-[BbcDEeFIiJLlmoPpRSWw]$/;

/** True if it takes commands or code from its input, with these arguments. */
export function takesCommands(name: string, args: readonly Word[]): boolean {
  if (has(args, /^(?:--?version|--?help|-V|-h)$/) && args.length === 1) return false;
  if (isShell(name)) return shellTakes(args);
  if (isInterpreter(name)) return interpreterTakes(name, args);
  return isClient(name) && CLIENTS[name]?.(args) === true;
}

export function isClient(name: string): boolean {
  return Object.hasOwn(CLIENTS, name);
}

function shellTakes(args: readonly Word[]): boolean {
  if (has(args, /^-[a-zA-Z]*c[a-zA-Z]*$|^--command$/)) return false;
  return has(args, /^-[a-zA-Z]*s[a-zA-Z]*$/) || !hasFile(args, /^[-+][oO]$/);
}

/** Modules of Python that ask for code. */
const ASKING_MODULES = /^(?:pdb|code|asyncio|IPython|ptpython|bpython|sqlite3|idlelib|jupyter_console)$/;

/** Options whose value is the next word. */
const VALUES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:python|pypy|ipython)/, /^-[WX]$|^--check-hash-based-pycs$/],
  [/^(?:perl|ruby|lua)/, /^-[IlCE]$/],
  [/^(?:node|nodejs|tsx|ts-node)$/, /^-C$|^--(?:conditions|title|input-type)$/],
  [/^php/, /^-[dct]$/],
];

/** Their `-r` loads a module, and its value is the next word; elsewhere it is an option for code. */
const REQUIRES = /^(?:node|nodejs|tsx|ts-node|ruby)/;

function interpreterTakes(name: string, given: readonly Word[]): boolean {
  const args = REQUIRES.test(name) ? withoutOption(given, /^-r$|^--(?:require|import)$/) : given;
  if (has(args, /^-[a-zA-Z]*i$|^--interactive$|^-a$|^inspect$|^repl$/)) return true;
  const module = args.findIndex(({ text }) => text === "-m");
  if (module >= 0) return ASKING_MODULES.test(args[module + 1]?.text ?? "");
  if (has(args, /^-[a-zA-Z]{0,3}[ceErp]$|^-[ceEr]\S*[\s"'`(;]|^--(?:eval|print|execute|run)|^-S$/))
    return false;
  return !hasFile(args, VALUES.find(([names]) => names.test(name))?.[1] ?? /^$/);
}

/** A word that is a file to run, and not the value of an option. */
function hasFile(args: readonly Word[], valued: RegExp): boolean {
  return args.some(({ text }, at) => {
    const before = args[at - 1]?.text ?? "";
    if (/^[-+]/.test(text) || isInput(text) || valued.test(before)) return false;
    return !/^[-+][^=]*$/.test(before) || /[./]/.test(text);
  });
}

function withoutOption(args: readonly Word[], option: RegExp): readonly Word[] {
  return withoutValues(args, option).filter(({ text }) => !option.test(text));
}

function withoutValues(args: readonly Word[], valued: RegExp): readonly Word[] {
  return args.filter((_, at) => !valued.test(args[at - 1]?.text ?? ""));
}
