/** When shells and interpreters are dangerous: because of the code that they get, as text, as a file or as input. */
import { codeDanger } from "./danger-code.js";
import { isUnknown, type Look } from "./danger-words.js";
import type { SimpleCommand } from "./shell-parse.js";
import { UNKNOWN } from "./shell-text.js";
import type { Word } from "./shell-words.js";

export const NOT_KNOWN = "runs something that is only known when it runs";

const SHELLS = new Set(
  "sh bash zsh dash ash ksh ksh93 mksh yash posh fish csh tcsh rbash pwsh elvish nu xonsh".split(" "),
);

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

export function dangerOfShell(args: readonly Word[], command: SimpleCommand, look: Look): string | null {
  const flag = args.findIndex(({ text }) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text) || text === "--command");
  if (flag >= 0) {
    const code = args.slice(flag + 1).find(({ text }) => !/^[-+]/.test(text));
    if (!code) return command.feeder ? NOT_KNOWN : null; // `xargs sh -c`: the code comes from an argument.
    return isUnknown(code)
      ? (look.script(code.text.replaceAll(UNKNOWN, "''")) ?? NOT_KNOWN)
      : look.script(code.text);
  }
  if (args.some(({ text }) => /^--(?:rcfile|init-file)/.test(text))) return NOT_KNOWN;
  // With `-s` the words are arguments; `-o` takes the next one.
  const isInput = args.some(({ text }) => /^-[a-zA-Z]*s[a-zA-Z]*$/.test(text));
  const words = args.filter((_, at) => !/^[-+][oO]$/.test(args[at - 1]?.text ?? ""));
  const file = isInput ? null : fileOf(words, /^[-+]./);
  if (file) return isUnknown(file) ? NOT_KNOWN : null;
  if (command.input !== null) return command.input.includes(UNKNOWN) ? NOT_KNOWN : look.script(command.input);
  if (takesUnknown(command)) return NOT_KNOWN;
  return command.feeder ? "gives the output of another command to a shell to run" : null;
}

/** The option before the code, or joined with it. */
const CODE = /^-[a-zA-Z]*[ceErp]$|^-(?:eval|x)$|^--(?:eval|print|execute|command|run)$|^eval$/;

export function dangerOfInterpreter(
  name: string,
  args: readonly Word[],
  command: SimpleCommand,
): string | null {
  const flag = args.findIndex(({ text }) => CODE.test(text));
  const code = flag >= 0 ? args[flag + 1] : undefined;
  if (code) return isUnknown(code) ? NOT_KNOWN : codeDanger(name, code.text);
  // `-e'…'`, with other letters before the e.
  const glued = args.find(({ text }) => /^-[a-zA-Z]{0,3}[ceErp].*[\s"'`(;]|^--(?:eval|print)=/s.test(text));
  if (glued) return codeDanger(name, glued.text.replace(/^-[a-zA-Z]*?[ceErp]|^--\w+=/, ""));
  if (args.some(({ text }) => /^-(?:r|M|m)?\.?\/|^--(?:require|import|loader)/.test(text))) return NOT_KNOWN;
  const file = fileOf(args, /^-./);
  if (file) return isUnknown(file) ? NOT_KNOWN : null;
  if (command.input !== null) return codeDanger(name, command.input);
  if (takesUnknown(command)) return NOT_KNOWN;
  const isModule = args.some(({ text }) => text === "-m" || /^--?v(?:ersion)?$|^--?h(?:elp)?$/i.test(text));
  return command.feeder && !isModule ? "gives the output of another command to an interpreter to run" : null;
}

/** The file to run, unless it is the input. */
function fileOf(args: readonly Word[], option: RegExp): Word | null {
  const file = args.find(({ text }) => !option.test(text));
  return file && file.text !== "-" && !/^\/dev\/(?:stdin|fd\/\d+)$|^\/proc\/self\/fd\/\d+$/.test(file.text)
    ? file
    : null;
}

function takesUnknown({ redirects }: SimpleCommand): boolean {
  return redirects.some(
    ({ operator, target }) => operator.startsWith("<") && (target.includes(UNKNOWN) || operator === "<&"),
  );
}
