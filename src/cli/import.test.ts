/** An import that somebody stops: it says how far it came, and leaves no listener behind. */
import { PassThrough } from "node:stream";
import { afterEach, expect, it } from "vitest";
import type { Sessions } from "../session/sessions.js";
import type { ImportOptions, ImportReport } from "../session/transfer.js";
import type { Cli } from "./cli.js";
import { importAll } from "./import.js";

const NOTHING: ImportReport = {
  format: "metadata-jsonl",
  sources: [],
  dryRun: false,
  sessions: [],
  totals: {
    sessions: 0,
    new: 0,
    extended: 0,
    present: 0,
    messages: 0,
    added: 0,
    problems: 0,
    bookkeeping: 0,
  },
  unknownPlatforms: [],
  problems: [],
};

const shown: string[] = [];
/** What others are told of it. */
const told: string[] = [];
afterEach(() => {
  shown.splice(0);
  told.splice(0);
});

function cliWith(work: (options: ImportOptions) => ImportReport): Cli {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const terminal = {
    progress: (text: string) => shown.push(text),
    onGone: () => () => {},
    json: (value: unknown) => shown.push(typeof value),
  };
  return {
    terminal,
    streams,
    loadConfig: async () => ({ sessions: {} }),
    openWork: async () => ({
      tell: (done: number, total: number) => told.push(`${done} of ${total}`),
      end: async (outcome: string) => void told.push(outcome),
    }),
    openSessions: async () => ({ close: async () => {} }),
    importSessions: async (_: string, __: Sessions, options: ImportOptions) => work(options),
  } as unknown as Cli;
}

it("ends after the session it is at, with what came in and how to go on", async () => {
  const listeners = process.listenerCount("SIGHUP");
  const cli = cliWith(({ onProgress, signal }) => {
    onProgress?.(1, 3);
    expect(signal?.aborted).toBe(false);
    process.emit("SIGHUP");
    expect(signal?.aborted).toBe(true);
    return NOTHING;
  });
  await expect(importAll(cli, ".", { json: true })).rejects.toMatchObject({
    message: "Stopped after 1 of 3 sessions. To import the rest, run the same command again.",
    exitCode: 129,
  });
  expect(shown).toEqual(["1 of 3 sessions", "", "object"]);
  expect(process.listenerCount("SIGHUP")).toBe(listeners);
});

it("says that it was stopped, not that a file could not be read, if that is why", async () => {
  const cli = cliWith(() => {
    process.emit("SIGHUP");
    throw new Error("cannot be copied");
  });
  await expect(importAll(cli, ".", {})).rejects.toMatchObject({
    message: "Stopped. To import the rest, run the same command again.",
    exitCode: 129,
  });
});

it("says what it does after the last session", async () => {
  const cli = cliWith(({ onProgress }) => {
    onProgress?.(3, 3);
    throw new Error("enough");
  });
  await expect(importAll(cli, ".", {})).rejects.toThrow("enough");
  expect(shown).toEqual(["3 of 3 sessions, updating the search index …", ""]);
});
