/**
 * Code in another language that is passed to its interpreter as text. Baton asks unless the code is clearly harmless:
 * sums and prints, reading JSON in Python, a version in Node, a plain substitution in Perl pass. Code that could open a
 * file, start a program or build a name at run time does not.
 */

/** Longer code is not examined. */
const LONGEST = 2_000;

const RUNS_CODE = "runs code that could start programs or change files";

const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|ipython[\d.]*|perl[\d.]*|raku|ruby[\d.]*|irb|pry|node|nodejs|deno|bun|tsx|ts-node|php[\d.]*|lua[\d.]*|luajit|Rscript|R|osascript|tclsh[\d.]*|wish|julia|guile|racket|sbcl|clisp|ocaml|ghc|runghc|swift|groovy|scala|kotlin|octave|gnuplot|erl|elixir|iex|jshell|jrunscript|m4|expect)$/;

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.test(name);
}

/** Why Baton should ask about code for this interpreter; null if it is clearly harmless. */
export function codeDanger(name: string, code: string): string | null {
  if (code.length > LONGEST) return RUNS_CODE;
  if (/^(?:python|pypy|ipython)/.test(name)) return isHarmlessPython(code) ? null : RUNS_CODE;
  if (/^(?:node|nodejs|bun|deno|tsx|ts-node)$/.test(name)) return isHarmlessScript(code) ? null : RUNS_CODE;
  if (/^perl/.test(name) && isPlainSubstitution(code)) return null;
  return isPlainPrint(code) ? null : RUNS_CODE;
}

/** `print("a", 1 + 2)` and the like in any language. */
function isPlainPrint(code: string): boolean {
  return /^\s*(?:print|puts|p|say|echo|console\.log)\b[\s(]*(?:"[^"\\$#@`%]*"|'[^'\\]*'|[\d\s+\-*/%.(),])*[);\s]*$/.test(
    code,
  );
}

const PYTHON_MODULES =
  /^(?:sys|json|math|cmath|re|datetime|time|random|collections|itertools|functools|statistics|decimal|fractions|textwrap|hashlib|calendar|pprint|unicodedata|zoneinfo|difflib|bisect|heapq|numbers|colorsys)$/;
/** Names that lead to files, programs or other names. */
const PYTHON_NAMES =
  /\b(?:os|io|nt|posix|open|eval|exec\w*|compile|getattr|setattr|delattr|globals|locals|vars|dir|breakpoint|input|help|memoryview|modules|builtins|system|popen\w*|spawn\w*|fork\w*|subprocess|codecs|linecache|settrace|setprofile|_\w*|path\w*|meta_path|displayhook|excepthook|attrgetter|methodcaller|loader|spec|gi_\w+|f_\w+|tb_\w+|cr_\w+|func_\w+|mro|subclasses|stdout\s*\.\s*buffer)\b/;

function isHarmlessPython(code: string): boolean {
  if (/[^\n\t -~]|\\[xuUN]/.test(code)) return false;
  const withoutTexts = code.replace(/(?<![fF])"(?:[^"\\\n]|\\.)*"|(?<![fF])'(?:[^'\\\n]|\\.)*'/g, '""');
  const imported = [...withoutTexts.matchAll(/\b(?:import|from)\s+([\w., ]+)/g)]
    .flatMap(([, names = ""]) => names.replace(/\bimport\b.*/, "").split(","))
    .map((name) => name.replace(/\bas\b.*/, "").trim());
  return imported.every((name) => PYTHON_MODULES.test(name)) && !PYTHON_NAMES.test(withoutTexts);
}

const SCRIPT_NAMES =
  /\b(?:require|import|fs|os|vm|net|http2?|https|dgram|dns|tls|child_process|cluster|worker_threads|inspector|module|repl|v8|wasi|path|stream|readline|globalThis|global|self|window|this|Function|constructor|prototype|__\w+|eval|Reflect|Proxy|Symbol|with|Deno|Bun|fetch|WebSocket|WebAssembly|setTimeout|setInterval|setImmediate|queueMicrotask|async|await|Worker|getBuiltinModule)\b/;
const SAFE_OF_PROCESS =
  /\bprocess\s*\.\s*(?:version|versions|platform|arch|argv|cwd|memoryUsage|uptime|pid|hrtime|release|title|exit|stdout\.write)\b/g;

function isHarmlessScript(code: string): boolean {
  if (/[^\n\t -~]|\\[xu]/.test(code)) return false;
  const rest = code
    .replace(/\brequire\(\s*(["'])\.{0,2}\/?[\w./-]+\.json\1\s*\)/g, "x")
    .replace(SAFE_OF_PROCESS, "x");
  // `a["b" + "c"]`: a name that is built at run time.
  if (/[\w$)\]"'`?]\s*\[\s*[^\d\s\]]/.test(rest)) return false;
  const withoutTexts = rest.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
  return !SCRIPT_NAMES.test(withoutTexts) && !/\bprocess\b/.test(withoutTexts);
}

/** `s/a/b/g` and `tr/a/b/`, one after the other, without anything that runs code: e, `@{…}`, `(?{…})`. */
function isPlainSubstitution(code: string): boolean {
  return (
    /^(?:\s*(?:s|tr|y)([/|,#!])(?:(?!\1).)*\1(?:(?!\1).)*\1[gimsxcdr]*\s*;?)+\s*$/.test(code) &&
    !/@|\$\{|\(\?\??\{|`/.test(code)
  );
}
