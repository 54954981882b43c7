/** What `terminal` hands over for a command in the background, and what it refuses before that. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import type { BackgroundCommand, Tool, ToolContext } from "../agent.js";
import { TAKES_COMMANDS } from "./danger-input.js";
import { terminalTool } from "./terminal.js";

const root = mkdtempSync(join(realpathSync(tmpdir()), "baton-background-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let started: BackgroundCommand[];
beforeEach(() => {
  folder = mkdtempSync(join(root, "work-"));
  started = [];
});

const terminal = () => terminalTool({ cwd: folder, environment: { PATH: "/usr/bin:/bin", TERM: "dumb" } });

function run(args: object, more: Partial<ToolContext> = {}, tool = terminal()) {
  const { signal } = new AbortController();
  const background = async (command: BackgroundCommand): Promise<string> => {
    started.push(command);
    return "started";
  };
  return tool.run({ command: "sleep 60", ...args }, { call: aCall, signal, background, ...more });
}

describe("a command in the background", () => {
  it("is handed over with everything that was asked for", async () => {
    const watch = { checkInterval: 30, notifyOnComplete: true, watchPatterns: ["ERROR", "ready."] };
    expect(await run({ background: true, ...watch })).toBe("started");
    expect(started).toEqual([
      {
        command: "sleep 60",
        workdir: folder,
        environment: "local",
        file: expect.stringMatching(/^\/bin\/(ba)?sh$/),
        args: ["-c", "--", "sleep 60"],
        variables: { PATH: "/usr/bin:/bin", TERM: "dumb" },
        cwd: expect.stringContaining(process.platform === "linux" ? `/proc/${process.pid}/fd/` : folder),
        hasOwnProcesses: false,
        walled: false,
        remote: null,
        pty: false,
        checkIntervalMs: 30_000,
        notifyOnComplete: true,
        patterns: ["ERROR", "ready."],
      },
    ]);
  });

  it("has a terminal of its own if it asks for one", async () => {
    await run({ background: "true", pty: true });
    expect(started[0]).toMatchObject({ pty: true, variables: { TERM: "xterm-256color" } });
  });

  it.runIf(process.platform === "linux")(
    "starts in the folder that was checked, whatever its name",
    async () => {
      mkdirSync(join(folder, "a"));
      let where = "";
      await run(
        { background: true, workdir: "a" },
        {
          background: async ({ cwd }) => {
            renameSync(join(folder, "a"), join(folder, "b"));
            where = realpathSync(cwd);
            return "";
          },
        },
      );
      expect(where).toBe(join(folder, "b"));
    },
  );

  it("is refused with what to do", async () => {
    const refusals: readonly (readonly [object, string])[] = [
      [
        { checkInterval: 60 },
        "only a command in the background takes `checkInterval`. Add `background: true`",
      ],
      [{ pty: true, watchPatterns: ["x"] }, "only a command in the background takes `pty`, `watchPatterns`."],
      [{ background: true, checkInterval: 29 }, "`checkInterval` must be a number, 30 or more."],
      [{ background: true, checkInterval: "soon" }, "`checkInterval` must be a number, 30 or more."],
      [
        { background: true, timeout: 5 },
        "has no `timeout`. Leave it out, and end the command with the tool `process`",
      ],
      [{ background: "yes" }, "`background` must be true or false."],
      [{ background: true, watchPatterns: Array(11).fill("x") }, "at most 10 texts"],
      [{ background: true, watchPatterns: ["x".repeat(201)] }, "at most 200 characters"],
      [{ background: true, watchPatterns: ["a\nb"] }, "each one line"],
      [{ background: true, watchPatterns: [""] }, "each one line"],
      [{ background: true, watchPatterns: { a: 1 } }, "must be a list"],
      [{ background: true, workdir: "/etc" }, '"/etc" is outside the folders'],
    ];
    for (const [args, sentence] of refusals) {
      const result = await run(args);
      expect(result).toMatch(/^Error: /);
      expect(result).toContain(sentence);
    }
    expect(started).toEqual([]);
  });

  it("is refused where nothing can go on", async () => {
    const { signal } = new AbortController();
    const result = await terminal().run({ command: "true", background: true }, { call: aCall, signal });
    expect(result).toMatch(/^Error: not run: commands can't run in the background here\./);
  });

  it("is approved as such: a yes to the foreground is none to the background, nor to a terminal", async () => {
    const about = async (more: object) =>
      (await terminal().danger?.({ command: "rm -rf /var/x", ...more }))?.what;
    expect(await about({})).toBe(`rm -rf /var/x\n\nin ${folder}`);
    expect(await about({ background: true })).toBe(`rm -rf /var/x\n\nin ${folder}, in the background`);
    expect(await about({ background: "true", pty: true })).toBe(
      `rm -rf /var/x\n\nin ${folder}, in the background with a terminal`,
    );
  });

  it("is asked about if it takes commands as input, which it gets only there", async () => {
    const asks = async (tool: Tool, more: object = {}) =>
      (await tool.danger?.({ command: "bash", ...more }))?.reason ?? null;
    expect(await asks(terminal())).toBeNull();
    expect(await asks(terminal(), { background: true })).toBe(TAKES_COMMANDS);
    const launch = (words: readonly string[]) => ({
      ...{ file: words[0] ?? "", args: words.slice(1), environment: {}, hasOwnProcesses: true },
    });
    const sandbox = { name: "wall", folders: [folder], network: false, doubt: null, gap: null, launch };
    const walled = (more: object) => {
      const confinement = { kind: "sandbox", mayLeave: true, sandbox: { ...sandbox, ...more } } as const;
      return terminalTool({ cwd: folder, environment: {}, confinement });
    };
    expect(await asks(walled({}), { background: true })).toBeNull();
    expect(await asks(walled({ doubt: "it is new" }), { background: true })).toBe(TAKES_COMMANDS);
    expect(await asks(walled({}), { background: true, outside: true })).toMatch(
      /^leaves the sandbox .*, and takes commands as input/,
    );
    expect(await asks(walled({}), { outside: true })).not.toContain("input");
    expect(await asks(walled({}), { command: "make", background: true, outside: true })).not.toContain(
      "input",
    );
    for (const [tool, more, is] of [
      [walled({}), {}, true],
      [walled({ doubt: "it is new" }), {}, false],
      [walled({}), { outside: true }, false],
    ] as const) {
      await run({ background: true, ...more }, {}, tool);
      expect(started.at(-1)?.walled).toBe(is);
    }
  });

  it("is refused if the folder is another one than the person saw", async () => {
    const danger = await terminal().danger?.({ command: "rm -rf /var/x", background: true });
    const approved = danger && { ...danger, identity: "another" };
    expect(await run({ background: true }, approved ? { approved } : {})).toContain("the folder has changed");
    expect(started).toEqual([]);
  });
});
