/** The log: private, whole across processes and rotation, safe to look at, and never in the way. */
import { fork } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Redactor } from "../util/redact.js";
import { fileLog } from "./file-log.js";
import { type LogLevel, safeLog } from "./log.js";
import { follow, type LogRecord, lastRecords, recordOf } from "./records.js";
import { archivedLogs, currentLog, logFolder } from "./rotating-file.js";

const CHILD = fileURLToPath(new URL("../../test/support/log-child.mjs", import.meta.url));
const ALL = { level: "info", since: 0 } as const;

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "baton-log-"));
  folder = logFolder(home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function logTo(limits = { bytes: 10_000, kept: 5 }) {
  const problems: string[] = [];
  return {
    problems,
    log: fileLog({ home, by: "chat", limits, onProblem: (problem) => problems.push(problem) }),
  };
}

function everyLine(): string[] {
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1),
  );
}

describe("the file", () => {
  test("is private, and holds one JSON object a line", () => {
    const { log } = logTo();
    log("warn", "The outbox cannot be read.");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(currentLog(folder)).mode & 0o777).toBe(0o600);
    const [line = ""] = everyLine();
    const { time, ...rest } = JSON.parse(line);
    expect(rest).toEqual({ level: "warn", by: "chat", pid: process.pid, msg: "The outbox cannot be read." });
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test("says in fields what a problem was about, and why", async () => {
    const { log } = logTo();
    const redactor = new Redactor();
    redactor.know(() => ["canary-secret-value"]);
    const cause = new Error("the disk is full", { cause: new Error("canary-secret-value") });
    const details = { session: "s_1", turn: "turn_2", delivery: "turn_2.0", cause };
    safeLog(redactor.redact, log)("warn", "A turn failed.", details);
    const { records } = await lastRecords(folder, ALL, 1);
    expect(records[0]).toMatchObject({ msg: "A turn failed.", session: "s_1", turn: "turn_2" });
    expect(records[0]?.delivery).toBe("turn_2.0");
    expect(records[0]?.cause).toMatch(/^Error: the disk is full at .*log\.test\.ts.*Caused by: Error: /);
    expect(everyLine().join()).not.toContain("canary-secret-value");
  });

  test("is followed by another when it has grown, and the oldest go", async () => {
    const { log } = logTo({ bytes: 1_000, kept: 3 });
    for (let n = 0; n < 200; n++) log("info", `line ${n}`);
    expect(archivedLogs(folder)).toHaveLength(3);
    for (const path of archivedLogs(folder)) {
      expect(statSync(path).size).toBeLessThan(1_200);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    const { records } = await lastRecords(folder, ALL, 20);
    expect(records.map(({ msg }) => msg)).toEqual(Array.from({ length: 20 }, (_, n) => `line ${180 + n}`));
  });

  test("keeps every line of several processes, each whole and once, across rotations", async () => {
    const writers = ["a", "b", "c"].map((name) => fork(CHILD, [home, name, "400", "2000"]));
    const said = await Promise.all(writers.map(async (child) => (await once(child, "message"))[0]));
    expect(said).toEqual([{ done: true }, { done: true }, { done: true }]);
    const lines = everyLine().map((line) => recordOf(line)?.msg);
    const expected = ["a", "b", "c"].flatMap((name) => Array.from({ length: 400 }, (_, n) => `${name} ${n}`));
    expect(lines.toSorted()).toEqual(expected.toSorted());
    expect(archivedLogs(folder).length).toBeGreaterThan(20);
  });

  test("that cannot be written is told once and stops nothing; it goes on when it can be", () => {
    writeFileSync(folder, "in the way");
    const { log, problems } = logTo();
    log("info", "one");
    log("info", "two");
    expect(problems).toEqual([expect.stringContaining(`Can't write the log in ${folder}: `)]);
    rmSync(folder);
    log("info", "three");
    expect(everyLine().map((line) => recordOf(line)?.msg)).toEqual(["three"]);
  });

  test("that somebody took away begins anew", () => {
    const { log } = logTo();
    log("info", "one");
    rmSync(folder, { recursive: true });
    log("info", "two");
    expect(everyLine().map((line) => recordOf(line)?.msg)).toEqual(["two"]);
  });
});

describe("every sink", () => {
  test("gets a clean line without secrets, whatever parts them", () => {
    const secret = "canary-secret-value";
    const redactor = new Redactor();
    redactor.know(() => [secret]);
    const breaks = fc.constantFrom("", "\u001b[0m", "\u200b", "\u0007", "\u001b]0;x\u0007", "\u202e");
    fc.assert(
      fc.property(breaks, fc.integer({ min: 0, max: secret.length }), fc.string(), (mark, at, around) => {
        const seen: string[] = [];
        const sink = (_: LogLevel, text: string) => void seen.push(text);
        const parted = secret.slice(0, at) + mark + secret.slice(at);
        safeLog(redactor.redact, sink, sink)("info", `${around} ${parted} sk-${mark}abcdefgh12 ${around}`);
        expect(seen).toHaveLength(2);
        for (const line of seen) {
          expect(line).not.toContain(secret);
          expect(line).not.toContain("abcdefgh12");
          expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
        }
      }),
    );
  });
});

describe("reading it back", () => {
  test("by level and age, the last ones, oldest first; what is no record is left out", async () => {
    mkdirSync(folder);
    const line = (level: LogLevel, at: number) =>
      `${JSON.stringify({ level, time: new Date(at).toISOString(), by: "chat", pid: 1, msg: `${level} ${at}` })}\n`;
    const text = [line("warn", 1_000), "half of a li\n", line("info", 2_000), '{"level":"warn"}\nnull\n'];
    writeFileSync(currentLog(folder), `${text.join("")}${line("error", 3_000)}{"level":"info","time"`);
    const shown = async (filter: { level: LogLevel; since: number }, most: number) =>
      (await lastRecords(folder, filter, most)).records.map(({ msg }) => msg);
    expect(await shown(ALL, 10)).toEqual(["warn 1000", "info 2000", "error 3000"]);
    expect(await shown(ALL, 2)).toEqual(["info 2000", "error 3000"]);
    expect(await shown({ level: "warn", since: 0 }, 10)).toEqual(["warn 1000", "error 3000"]);
    expect(await shown({ level: "info", since: 1_500 }, Number.POSITIVE_INFINITY)).toEqual([
      "info 2000",
      "error 3000",
    ]);
  });

  test("follows across rotations, missing nothing and telling nothing twice", {
    timeout: 60_000,
  }, async () => {
    const { log } = logTo({ bytes: 1_000, kept: 1_000 });
    log("info", "before");
    const { after } = await lastRecords(folder, ALL, 1);
    const stop = new AbortController();
    const seen: LogRecord[] = [];
    const enough = (async () => {
      for await (const record of follow(folder, after, stop.signal)) {
        seen.push(record);
        if (seen.length === 900) stop.abort();
      }
    })();
    const writers = ["a", "b"].map((name) => fork(CHILD, [home, name, "400", "1000"]));
    for (let n = 0; n < 100; n++) {
      log("info", `c ${n}`);
      await new Promise(setImmediate);
    }
    await Promise.all(writers.map((child) => once(child, "message")));
    await enough;
    expect(new Set(seen.map(({ msg }) => msg)).size).toBe(900);
    expect(seen.map(({ msg }) => msg)).not.toContain("before");
  });

  test("waits for the rest of a line", async () => {
    const { log } = logTo();
    log("info", "one");
    const { after } = await lastRecords(folder, ALL, 1);
    const next = follow(folder, after, new AbortController().signal);
    const record = {
      level: "info",
      time: new Date(0).toISOString(),
      by: "chat",
      pid: 1,
      msg: "in two parts",
    };
    const text = `${JSON.stringify(record)}\n`;
    appendFileSync(currentLog(folder), text.slice(0, 20));
    const coming = next.next();
    await new Promise(setImmediate);
    appendFileSync(currentLog(folder), text.slice(20));
    expect((await coming).value?.msg).toBe("in two parts");
    await next.return();
  });

  test("a folder that may not be read is an error, not an empty log", {
    skip: process.getuid?.() === 0,
  }, async () => {
    mkdirSync(folder);
    chmodSync(folder, 0o000);
    await expect(lastRecords(folder, ALL, 1)).rejects.toThrow("EACCES");
    chmodSync(folder, 0o700);
  });
});
