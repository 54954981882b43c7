/** The tool `process`, over a real host and real programs. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import type { Chat } from "../../../test/support/gateway-world.js";
import { openProcessWorld, type ProcessWorld } from "../../../test/support/process-world.js";
import { questionNumber } from "../../../test/support/question-number.js";
import type { ProcessId } from "../../session/ids.js";
import { processTool } from "./process-tool.js";
import { dangerOfCall } from "./typing.js";

let world: ProcessWorld;
let ann: Chat;
beforeEach(async () => {
  world = await openProcessWorld();
  ann = world.world.chat("ann");
});
afterEach(() => world.close());

const use = (args: object): Promise<string> => world.use(ann, args);
const start = (command: string, more: object = {}): Promise<ProcessId> => world.start(ann, command, more);

/** Asks again and again until the answer has this. */
async function until(args: object, what: RegExp): Promise<string> {
  let said = "";
  await expect
    .poll(async () => {
      said = await use(args);
      return said;
    })
    .toMatch(what);
  return said;
}

/** Answers the question; what comes then. */
async function answered(question: string, verdict: "approve" | "deny"): Promise<string> {
  const before = ann.told.length;
  const number = questionNumber(question);
  expect(await ann.ask(`/${verdict} ${number}`)).toMatch(/^(Approved|Denied): /);
  return ann.next(before + 1);
}

describe("the tool process", () => {
  it("has an exact schema", () => {
    const limits = { maxWaitSeconds: 180, outputCharacters: 200_000 };
    const { parameters } = processTool({
      processes: world.processes,
      limits,
      seen: async () => [],
      personWrote: () => new AbortController().signal,
      clock: Date.now,
    });
    expect(parameters).toMatchObject({
      type: "object",
      required: ["action"],
      additionalProperties: false,
      properties: {
        action: {
          type: "string",
          enum: ["list", "poll", "log", "wait", "kill", "write", "submit", "close"],
        },
        id: { type: "string" },
        offset: { type: "integer" },
        limit: { type: "integer", minimum: 1 },
        timeout: { type: "number", description: expect.stringContaining("180 by default and at most") },
        text: { type: "string" },
      },
    });
    expect(Object.keys(parameters.properties as object)).toHaveLength(6);
  });

  it("shows at once what a quiet program printed, and each part once", async () => {
    const id = await start("printf x; read -r line; echo got $line; exec sleep 600");
    await until({ action: "poll", id }, /New output:\nx$/);
    expect(await use({ action: "poll", id })).toMatch(/running for .*\n\nNo new output\.$/s);
    expect(await use({ action: "submit", id, text: "this" })).toContain(`Written to ${id}.`);
    await until({ action: "poll", id }, /New output:\ngot this$/);
    expect(await use({ action: "list" })).toMatch(
      new RegExp(
        `^1 process, newest first:\\n${id} running for .* s, pid \\d+: printf x; .* in ${world.folder}$`,
      ),
    );
  });

  it("ends it with all that it started, and says how", async () => {
    const id = await start("sleep 600 & exec sleep 600");
    expect(await use({ action: "kill", id: id.slice(0, 6) })).toMatch(
      new RegExp(`^${id} was ended by the agent \\(signal SIGTERM\\), after .* s`),
    );
    const already = new RegExp(`^Error: ${id} has already ended: it was ended by the agent`);
    expect(await use({ action: "kill", id })).toMatch(already);
    expect(await use({ action: "write", id, text: "x" })).toMatch(already);
    expect(await use({ action: "close", id })).toMatch(already);
  });

  it("waits until it has ended, with its code; at most as long as it may, and says so", async () => {
    const id = await start("read -r code; echo over; exit $code");
    expect(await use({ action: "wait", id, timeout: 0.05 })).toContain("It still runs after 0.05 s.");
    await use({ action: "submit", id, text: "7" });
    const ended = await use({ action: "wait", id, timeout: 1_000 });
    expect(ended).toMatch(/exited with code 7, after .*It has ended\.\n\nThe end of its output:\nover$/s);
    expect(await use({ action: "kill", id })).toContain("has already ended: it exited with code 7");
  });

  it("waits no longer than it may, and says so", async () => {
    const id = await start("exec sleep 600");
    const { processes } = world;
    const tool = processTool({
      processes,
      limits: { maxWaitSeconds: 0.05, outputCharacters: 1_000 },
      seen: () => processes.list({}),
      personWrote: () => new AbortController().signal,
      clock: Date.now,
    });
    const { signal } = new AbortController();
    expect(await tool.run({ action: "wait", id, timeout: 99 }, { call: aCall, signal })).toContain(
      "It still runs after 0.05 s (`timeout` was limited to 0.05 s).",
    );
  });

  it("says that it shows only the end of what is new, also if the cut is inside a character", async () => {
    const id = await start("printf 'ä%.0s' $(seq 1 20000); printf x");
    await world.processes.wait(id, { timeoutMs: 60_000, signal: new AbortController().signal });
    expect(await use({ action: "poll", id })).toMatch(
      /New output \(only its end; see the rest with `log`\):\nä+/,
    );
  });

  it("ends the input", async () => {
    const id = await start("cat; echo done");
    await use({ action: "write", id, text: "half a line" });
    await use({ action: "close", id });
    expect(await use({ action: "wait", id })).toContain("half a linedone");
  });

  it("shows lines of the log from either end, and says which and what is gone", async () => {
    const id = await start("seq 1 30; printf '\\033[31mred\\033[0m\\n'");
    await use({ action: "wait", id });
    const lines = (said: string): string[] => said.split("\n\n").at(-1)?.split("\n") ?? [];
    expect(lines(await use({ action: "log", id, offset: 3, limit: 2 }))).toEqual([
      "Output, lines 3 to 4 of 31 kept.",
      "3",
      "4",
    ]);
    expect(lines(await use({ action: "log", id, offset: "-2" }))).toEqual([
      "Output, lines 30 to 31 of 31 kept.",
      "30",
      "red",
    ]);
    expect(lines(await use({ action: "log", id }))[0]).toBe("Output, lines 1 to 31 of 31 kept.");
    expect(lines(await use({ action: "log", id, offset: 99 }))).toEqual([
      "Output, no lines from 99 on, of 31 kept.",
    ]);
    const long = await start("head -c 3000000 /dev/zero | tr '\\0' a; echo; echo end");
    await world.processes.wait(long, { timeoutMs: 60_000, signal: new AbortController().signal });
    expect(await use({ action: "log", id: long, limit: 1 })).toMatch(
      /lines 2 to 2 of 2 kept\. The first 2,\d{3},\d{3} bytes are no longer kept\.\nend$/,
    );
  });

  it("shows the screen of a program that draws, and types into it", async () => {
    const file = `${world.folder}/numbers`;
    await use({ action: "wait", id: await start(`seq 1 200 > ${file}`) });
    const command = { command: `TERM=xterm less ${file}`, background: true, pty: true };
    const question = await ann.ask(`terminal ${JSON.stringify(command)}`);
    expect(question).toMatch(/^This opens a program in which keys can start other commands/);
    const [, id = ""] = /Started .* as (p_\w+)/.exec(await answered(question, "approve")) ?? [];
    await until({ action: "poll", id }, /Its screen, 120 × 40:\n1\n2\n3\n/);
    await use({ action: "write", id, text: "G" });
    expect(await until({ action: "poll", id }, /\n200\n/)).not.toContain("\n1\n2\n");
    expect(await use({ action: "write", id, text: "!rm -rf /home/nobody-here" })).toMatch(/^This deletes /);
    await ann.ask("/stop");
    await use({ action: "write", id, text: "q" });
    expect(await use({ action: "wait", id })).toContain("exited with code 0");
  });

  it("talks with an interactive program on a terminal, once that was approved", async () => {
    const command = { command: "python3 -q", background: true, pty: true };
    const question = await ann.ask(`terminal ${JSON.stringify(command)}`);
    expect(question).toMatch(
      /^This takes commands as input, and Baton can't check all of them\.\n\n```\npython3 -q\n\nin .*, in the background with a terminal\n```/,
    );
    const [, id = ""] = /Started .* as (p_\w+)/.exec(await answered(question, "approve")) ?? [];
    await until({ action: "poll", id }, />>>/);
    await use({ action: "submit", id, text: "6 * 7" });
    await until({ action: "poll", id }, />>> 6 \* 7\n42\n>>>/);
    await use({ action: "write", id, text: "\u0004" });
    expect(await use({ action: "wait", id })).toContain("It has ended.");
  });

  it("asks before it types what is dangerous, unless a sandbox confines the process", async () => {
    const id = await start("while read -r line; do echo got $line; done");
    const text = "rm -rf /home/nobody-here";
    for (const action of ["write", "submit"]) {
      const question = await use({ action, id: id.slice(0, 8), text });
      expect(question).toMatch(/^This deletes /);
      expect(question).toContain(`${text}\n\ntyped into ${id} in ${world.folder}: while read`);
      expect(await answered(question, "deny")).toContain("the person said no");
    }
    expect(await use({ action: "poll", id })).toContain("No new output.");
    const question = await use({ action: "submit", id, text });
    expect(await answered(question, "approve")).toContain("Written to");
    await until({ action: "poll", id }, /got rm -rf/);
    const [found] = await world.processes.list({});
    const danger = async (walled: boolean) => {
      const seen = found ? [{ ...found, kept: { ...found.kept, walled } }] : [];
      return dangerOfCall({ action: "submit", id, text }, async () => seen);
    };
    expect(await danger(false)).not.toBeNull();
    expect(await danger(true)).toBeNull();
  });

  it("asks about a command that comes in parts", async () => {
    const id = await start("while read -r line; do echo got $line; done");
    expect(await use({ action: "write", id, text: "rm -rf" })).toContain("Written to");
    const question = await use({ action: "submit", id, text: " /home/nobody-here" });
    expect(question).toContain("rm -rf /home/nobody-here\n\ntyped into");
    expect(await answered(question, "approve")).toContain("Written to");
    await until({ action: "poll", id }, /got rm -rf \/home\/nobody-here/);
    expect(await use({ action: "submit", id, text: " /home/nobody-here" })).toContain("Written to");
  });

  it.each([
    ["without Enter, because it has no terminal", "rm -rf ./a\r", " /home/nobody-here"],
    ["in a quote", 'rm -rf "./a\n', '" /home/nobody-here'],
    ["for long", `rm -rf ./a${" ./a".repeat(990)}`, `${" ./a".repeat(10)} /home/nobody-here`],
  ])("asks about a command that goes on %s", async (_, begin, end) => {
    const id = await start("while read -r line; do echo got $line; done");
    expect(await use({ action: "write", id, text: begin })).toContain("Written to");
    const question = await use({ action: "submit", id, text: end });
    expect(question).toMatch(/^This (?:deletes|may belong to a command that is too long)/);
    expect(question).toContain(end);
    expect(await answered(question, "approve")).toContain("Written to");
  });

  it.each([
    ["was typed meanwhile", false],
    ["is not known, because the host did not answer", true],
  ])("does not type a part after another one that %s", async (_, isSilent) => {
    const id = await start("while read -r line; do echo got $line; done");
    const listed = await world.processes.list({});
    const before = isSilent ? listed.map((seen) => ({ ...seen, status: null })) : listed;
    const tool = processTool({
      processes: world.processes,
      limits: { maxWaitSeconds: 180, outputCharacters: 200_000 },
      seen: async () => before,
      personWrote: () => new AbortController().signal,
      clock: Date.now,
    });
    const type = (action: string, text: string): Promise<string> =>
      tool.run({ action, id, text }, { call: aCall, signal: new AbortController().signal });
    await world.processes.write(id, "rm -rf");
    expect(await tool.danger?.({ action: "submit", id, text: " /home/nobody-here" })).toBeNull();
    expect(await type("submit", " /home/nobody-here")).toMatch(/^Error: nothing was written/);
    expect(await type("submit", "x")).toContain("Written to");
    await until({ action: "poll", id }, /New output:\ngot rm -rfx$/);
  });

  it("waits no longer for a host that does not answer, and says so", async () => {
    const id = await start("exec sleep 600");
    const { kept } = await world.processes.status(id);
    vi.spyOn(world.processes, "wait").mockResolvedValue({ kept, status: null });
    const asked = vi.spyOn(world.processes, "status");
    expect(await use({ action: "wait", id })).toContain("the process host does not answer");
    expect(asked).not.toHaveBeenCalled();
  });

  it("ends a wait when the turn is stopped", async () => {
    const id = await start("exec sleep 600");
    const [stop, never] = [new AbortController(), new AbortController().signal];
    const tool = processTool({
      processes: world.processes,
      limits: { maxWaitSeconds: 180, outputCharacters: 200_000 },
      seen: () => world.processes.list({}),
      personWrote: () => {
        queueMicrotask(() => stop.abort());
        return never;
      },
      clock: Date.now,
    });
    const said = await tool.run({ action: "wait", id }, { call: aCall, signal: stop.signal });
    expect(said).toContain("Stopped waiting. The process is still running.");
  });

  it("says what to do about a mistake", async () => {
    expect(await use({ action: "poll", id: "p_1" })).toBe(
      'Error: There is no process "p_1". No processes are known.',
    );
    expect(await use({ action: "poll" })).toBe(
      "Error: `id` is missing, and `poll` needs it. There are no processes.",
    );
    const [one, two] = [await start("exec sleep 600"), await start("exec sleep 600")];
    expect(await use({ action: "poll", id: "p_" })).toBe(
      `Error: Several ids begin with "p_": ${two}, ${one}. Give more of the id.`,
    );
    expect(await use({ action: "kill" })).toContain(`Give one of ${two}, ${one}.`);
    expect(await use({ action: "write", id: one })).toBe("Error: `text` is missing. Give a text.");
    expect(await use({ action: "restart", id: one })).toBe(
      'Error: there is no action "restart". Use list, poll, log, wait, kill, write, submit, close.',
    );
    expect(await use({ action: "log", id: one, limit: 0 })).toContain("`limit` must be a number, 1 or more.");
    expect(await use({ action: "log", id: one, offset: 1.5 })).toContain("`offset` must be a whole number.");
    expect(await use({ action: "wait", id: one, timeout: -1 })).toContain("`timeout` must be a number");
    await use({ action: "close", id: one });
    expect(await use({ action: "write", id: one, text: "x" })).toMatch(/^Error: .*input/i);
  });
});
