/**
 * Every kind of command in every kind of broken surroundings: a sentence that says what to do and a sensible exit code,
 * never a stack trace or the name of a system error, and nothing hangs.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { baton, makeHome, type Run, type RunOptions } from "./support/baton.js";

const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const DIST = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** One for each kind of output: a bare write, help, an answer, its events, a list, checks, a change, files. */
const COMMANDS = {
  version: ["--version"],
  help: ["sessions", "--help"],
  ask: ["hello"],
  askJson: ["hello", "--json"],
  list: ["sessions", "list"],
  listJson: ["sessions", "list", "--json"],
  doctor: ["doctor", "--offline"],
  set: ["config", "set", "timezone", "Europe/Berlin"],
  logs: ["logs"],
} as const satisfies Record<string, readonly string[]>;

type CommandName = keyof typeof COMMANDS;

interface Surroundings {
  /** Breaks what the home folder is or holds. */
  readonly prepare?: (home: string) => void;
  /** What the shell does with the command, which is `"$@"`. */
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Needs a user to whom permissions apply. */
  readonly asNobody?: true;
  /** The sentence of the commands that fail, which are all but these. */
  readonly says?: RegExp;
  readonly works?: readonly CommandName[];
  /** Nothing can be said. */
  readonly isMute?: true;
}

const EVERY = Object.keys(COMMANDS) as CommandName[];
const PERMISSION = /has no permission there\. Change its owner or mode|may not be written by this user/;
const CONFIG_NEEDED: readonly CommandName[] = ["version", "help", "logs"];

const CASES: Record<string, Surroundings> = {
  "all is well": { works: EVERY },
  "a full disk behind stdout": {
    shell: '"$@" >/dev/full',
    says: /Can't write the output: there is no space/,
  },
  "a full disk behind stderr": { shell: '"$@" 2>/dev/full', works: EVERY, isMute: true },
  "a full disk behind both": { shell: '"$@" >/dev/full 2>&1', isMute: true },
  "no stdin": { shell: '"$@" <&-', works: EVERY },
  "no stdout": { shell: '"$@" >&-', works: EVERY },
  "no stream at all": { shell: '"$@" <&- >&- 2>&-', works: EVERY, isMute: true },
  "a working folder that is deleted": {
    shell: 'mkdir gone; cd gone; rmdir ../gone; "$@"',
    says: /The folder that you are in is deleted\. Go to another one/,
    works: ["version", "help", "set", "logs"],
  },
  "no PATH": { shell: 'unset PATH; "$@"', works: EVERY },
  "a home of mode 000": {
    asNobody: true,
    prepare: (home) => chmodSync(home, 0),
    says: PERMISSION,
    works: ["version", "help"],
  },
  "a home that can only be read": {
    asNobody: true,
    prepare: (home) => chmodSync(home, 0o500),
    says: PERMISSION,
    works: ["version", "help", "list", "listJson", "logs"],
  },
  "a home that is a file": {
    prepare: (home) => {
      rmSync(home, { recursive: true });
      writeFileSync(home, "");
    },
    says: /(?:Move|move) (?:the file|it) away/,
    works: ["version", "help", "list", "listJson"],
  },
  "a home below a file": {
    prepare: (home) => {
      rmSync(home, { recursive: true });
      writeFileSync(`${home}-file`, "");
      symlinkSync(`${home}-file/home`, home);
    },
    says: /(?:Move|move) (?:the file|it) away|Choose another path|links lead/,
    works: ["version", "help", "list", "listJson"],
  },
  "a home that is a link to nothing": {
    prepare: (home) => {
      rmSync(home, { recursive: true });
      symlinkSync("nowhere", home);
    },
    says: /Choose another path|is a link to a folder that does not exist/,
    works: ["version", "help", "list", "listJson", "logs"],
  },
  "a config file that is a folder": {
    prepare: (home) => mkdirSync(join(home, "config.yaml")),
    says: /it is a folder, not a file\. Move it away/,
    works: CONFIG_NEEDED,
  },
  "a pipe instead of the config file": {
    prepare: (home) => makePipe(join(home, "config.yaml")),
    says: /config\.yaml(?:: it)? can't be (?:read|written): it is a pipe, not a file\. Move it away/,
    works: CONFIG_NEEDED,
  },
  "a device instead of the config file": {
    prepare: (home) => symlinkSync("/dev/zero", join(home, "config.yaml")),
    says: /config\.yaml(?:: it)? can't be (?:read|written): it is a device, not a file\. Move it away/,
    works: CONFIG_NEEDED,
  },
  "a config file of bytes": {
    prepare: (home) => writeFileSync(join(home, "config.yaml"), Buffer.from([0, 255, 7, 200, 0, 10, 128])),
    says: /a config file is a list of `key: value` lines/,
    works: CONFIG_NEEDED,
  },
  "a config file that nobody may read": {
    asNobody: true,
    prepare: (home) => writeFileSync(join(home, "config.yaml"), "", { mode: 0 }),
    says: PERMISSION,
    works: CONFIG_NEEDED,
  },
  "a config file that is a link to itself": {
    prepare: (home) => symlinkSync("config.yaml", join(home, "config.yaml")),
    says: /its links lead in a circle/,
    works: CONFIG_NEEDED,
  },
  "a damaged database": {
    prepare: (home) => writeFileSync(join(home, "baton.db"), "no database ".repeat(1_000)),
    says: /is not a SQLite database\. Give another path/,
    works: ["version", "help", "set", "logs"],
  },
  "a pipe instead of the database": {
    prepare: (home) => makePipe(join(home, "baton.db")),
    says: /baton\.db is a pipe, not a file\. Move it away/,
    works: ["version", "help", "set", "logs"],
  },
  "a folder instead of the database": {
    prepare: (home) => mkdirSync(join(home, "baton.db")),
    says: /baton\.db is a folder, not a file\. Move it away/,
    works: ["version", "help", "set", "logs"],
  },
};

async function run(name: CommandName, { shell, prepare, asNobody, env = {} }: Surroundings): Promise<Run> {
  const home = makeHome();
  const options: RunOptions = { env, ...(asNobody && IS_ROOT ? { uid: NOBODY } : {}) };
  if (asNobody && IS_ROOT) {
    for (const path of [join(home, ".."), join(home, "..", "work"), home]) chownSync(path, NOBODY, NOBODY);
  }
  prepare?.(home);
  if (asNobody && IS_ROOT && existsSync(join(home, "config.yaml")))
    chownSync(join(home, "config.yaml"), NOBODY, NOBODY);
  const words: readonly string[] = COMMANDS[name];
  if (shell === undefined) return baton(home, words, options);
  const line = `set -- '${process.execPath}' '${DIST}' ${words.join(" ")}; ${shell}`;
  return baton(home, [], { ...options, shell: line });
}

const SKIPPED =
  IS_ROOT && !canNobodyRun() ? " (NOT TESTED: the user nobody can't read the built program here)" : "";

describe.each(Object.entries(CASES))("%s", (_, surroundings) => {
  const { says, works = [], isMute = false, asNobody } = surroundings;
  const why = asNobody ? SKIPPED : "";

  test.skipIf(why !== "")(`every command does it, or says what to do${why}`, async () => {
    for (const name of EVERY) {
      const { code, stdout, stderr } = await run(name, surroundings);
      const said = `${name}: exit code ${code}\n${stdout}\n${stderr}`;
      expect(said).not.toMatch(/\n\s+at |node:internal|Unexpected error|\bE[A-Z]{4,}\b:/);
      if (works.includes(name)) {
        expect(code, said).toBe(0);
      } else {
        expect(code, said).toBe(1);
        if (isMute) continue;
        expect(said).toMatch(says ?? /$./);
        expect(stderr, said).toMatch(
          name.endsWith("Json") ? /^\{\n {2}"error": |^baton: / : /^baton: [A-Z/]/,
        );
      }
    }
  });
});

describe.each<[string, string, (file: string) => void]>([
  ["is missing", "there is no such file", () => {}],
  [
    "is a folder",
    "it is a folder, not a file. Move it away, or choose another path",
    (file) => mkdirSync(file),
  ],
  ["is a pipe", "it is a pipe, not a file. Move it away, or choose another path", (file) => makePipe(file)],
  [
    "is a device",
    "it is a device, not a file. Move it away, or choose another path",
    (file) => symlinkSync("/dev/zero", file),
  ],
])("a secret file that %s", (_, why, prepare) => {
  test("is named in a sentence by an answer, and once by the doctor", async () => {
    const home = makeHome();
    const file = join(home, "key");
    prepare(file);
    const token = "platforms:\n  telegram:\n    token: { file: key }\n";
    const agent = "agent: { provider: openai, model: x, apiKey: { file: key } }\n";
    writeFileSync(join(home, "config.yaml"), `${agent}${token}`);
    const sentence = `The secret in ${file} cannot be used: ${why}.`;
    const answer = await baton(home, ["hello"]);
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain(sentence);
    const doctor = await baton(home, ["doctor", "--json"]);
    expect(doctor.stdout.split(sentence.slice(0, -1))).toHaveLength(2);
    const { findings } = JSON.parse(doctor.stdout) as { findings: { check: string; finding: string }[] };
    expect(findings).toContainEqual(expect.objectContaining({ check: "secrets", finding: sentence }));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "platforms", finding: "Telegram is off: its secret can't be used." }),
    );
    expect(`${answer.stderr}${doctor.stdout}`).not.toMatch(/ENOENT|EISDIR/);
  });
});

test("AGENTS.md that is a pipe is named, and the answer comes without it", async () => {
  const home = makeHome();
  const file = join(home, "..", "work", "AGENTS.md");
  makePipe(file);
  const { code, stdout, stderr } = await baton(home, ["hello"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("You said “hello”.")]);
  expect(stderr).toContain(`Can't use AGENTS.md in ${join(file, "..")}: ${file} is not a file but a pipe.`);
});

function makePipe(file: string): void {
  expect(spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', file]).status).toBe(0);
}

function canNobodyRun(): boolean {
  return spawnSync(process.execPath, [DIST, "--version"], { uid: NOBODY, gid: NOBODY }).status === 0;
}
