/**
 * What a command line creates and then runs: a file that it wrote, copied, linked or downloaded, an archive or a
 * repository that it unpacked, a Makefile. Nobody has seen that content.
 */
import { posix } from "node:path";
import { isInterpreter } from "./danger-code.js";
import { isShell } from "./danger-shells.js";
import type { SimpleCommand } from "./shell-parse.js";

export interface MadeFiles {
  /** Names of files. */
  readonly names: ReadonlySet<string>;
  /** Something was unpacked, so any file may be new. */
  readonly isAnything: boolean;
}

export const NOTHING_MADE: MadeFiles = { names: new Set(), isAnything: false };

const WRITERS = new Set("curl wget aria2c tee cp mv ln link install rsync scp dd mkfifo ditto".split(" "));
const BUILDERS = new Set(
  "make gmake ninja cmake npm yarn pnpm bun npx pytest tox nox rake bundle gradle mvn ant cargo go just task pip pip3 composer".split(
    " ",
  ),
);
const BUILD_FILES =
  /^(?:GNU)?makefile$|\.mk$|^package\.json$|^CMakeLists\.txt$|^build\.|^setup\.(?:py|cfg)$|^pyproject\.toml$|^conftest\.py$|^Rakefile$|^Gemfile$|^pom\.xml$|^justfile$|^Taskfile|^composer\.json$|\.config\.[cm]?[jt]s$/i;

/** The files after this command, including those from before. */
export function filesMade({ words, redirects }: SimpleCommand, before: MadeFiles): MadeFiles {
  const into = redirects.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  const [program = "", ...args] = words.map(({ text }) => text);
  const name = posix.basename(program);
  const named = WRITERS.has(name) ? args.map((text) => text.replace(/^of=/, "")) : [];
  const names = [...into, ...named].map((path) => posix.basename(path));
  const unpacks =
    (/^(?:tar|bsdtar)$/.test(name) && /^-?[a-zA-Z]*x|--(?:extract|get)/.test(args.join(" "))) ||
    (/^(?:unzip|7z|7za|unrar|cpio|gunzip|unxz|ar|patch)$/.test(name) && !args.includes("-l")) ||
    (name === "git" &&
      /^(?:clone|pull|apply|am|fetch)$/.test(args.find((text) => !text.startsWith("-")) ?? ""));
  return {
    names: new Set([...before.names, ...names.filter((each) => each !== "" && each !== "null")]),
    isAnything: before.isAnything || unpacks,
  };
}

/** True if a command runs something that was just created. */
export function isMade({ words, redirects }: SimpleCommand, { names, isAnything }: MadeFiles): boolean {
  const [program = "", ...args] = words.map(({ text }) => text);
  const name = posix.basename(program);
  const runsFile = isShell(name) || isInterpreter(name) || name === "source" || name === ".";
  const fed = redirects.filter(({ operator }) => operator === "<").map(({ target }) => target);
  const files = [program, ...(runsFile ? [...args, ...fed] : [])];
  if (files.some((file) => names.has(posix.basename(file)))) return true;
  if (BUILDERS.has(name) && (isAnything || [...names].some((each) => BUILD_FILES.test(each)))) return true;
  const isLocal = (path: string) => /\//.test(path) && !/^(?:\/usr|\/bin|\/sbin|\/opt)\//.test(path);
  return isAnything && (isLocal(program) || (runsFile && args.some((text) => !text.startsWith("-"))));
}
