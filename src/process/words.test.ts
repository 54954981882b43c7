import { describe, expect, test } from "vitest";
import type { ProcessId } from "../session/ids.js";
import type { ProcessEnd } from "./process.js";
import { endWords, lostWords, processMeant } from "./words.js";

const known = ["p_00000000aa", "p_00000000ab", "p_1111111111"].map((id) => ({ id: id as ProcessId }));

describe("which process is meant", () => {
  test.each(["p_1111111111", "p_1", "p_00000000ab"])("%s", (given) => {
    expect(processMeant(known, given).id.startsWith(given)).toBe(true);
  });

  test.each([
    ["p_0", 'Several ids begin with "p_0": p_00000000aa, p_00000000ab. Give more of the id.'],
    ["p_2", 'There is no process "p_2". These are known: p_00000000aa, p_00000000ab, p_1111111111.'],
    ["", 'There is no process "". These are known: p_00000000aa, p_00000000ab, p_1111111111.'],
  ])("%j is refused with the known ones", (given, message) => {
    expect(() => processMeant(known, given)).toThrow(message);
  });

  test("among none and among many", () => {
    expect(() => processMeant([], "p_2")).toThrow('There is no process "p_2". No processes are known.');
    const many = Array.from({ length: 12 }, (_, index) => ({ id: `p_${index}` as ProcessId }));
    expect(() => processMeant(many, "x")).toThrow(/p_9 and 2 more\.$/);
  });
});

const exit = { kind: "exited", code: null, signal: null, by: "itself", leftBehind: false } as const;

test.each<[ProcessEnd, string]>([
  [{ ...exit, code: 1 }, "exited with code 1"],
  [{ ...exit, code: 0, leftBehind: true }, "exited with code 0; a program that it started is still running"],
  [{ ...exit, signal: "SIGTERM", by: "agent" }, "was ended by the agent (signal SIGTERM)"],
  [{ ...exit, code: 0, by: "person" }, "was ended by a person (code 0)"],
  [{ ...exit, by: "person" }, "was ended by a person (code unknown)"],
  [{ ...exit, signal: "SIGKILL", by: "another" }, "was killed by signal SIGKILL (not sent by Baton)"],
  [{ kind: "lost", why: "The machine was restarted." }, "is lost: The machine was restarted"],
])("%j is said as %s", (end, words) => {
  expect(endWords(end)).toBe(words);
});

test("a process that is lost is said with the time, if there is one", () => {
  const lost = { kind: "lost", why: "The machine was restarted." } as const;
  expect(lostWords(lost, "3 min ago")).toBe("was lost 3 min ago (The machine was restarted)");
});
