import { expect, it } from "vitest";
import { PURPOSES } from "../../adapter/adapter.js";
import { INBOX_KINDS, MADE_BY } from "../../gateway/inbox-item.js";
import { HANDOFF_STATES } from "../../session/handoff.js";
import {
  hasEnded,
  inboxWords,
  isGoingOn,
  moveWords,
  processTone,
  processWords,
  purposeWords,
  runTone,
  runWords,
  toneOf,
} from "./state-words.js";

it("says the states of runs, and shows one that it does not know as it is", () => {
  expect(runWords({ state: "due" })).toBe("waits to begin");
  expect(runWords({ state: "done" })).toBe("done");
  expect(runWords({ state: "toString" })).toBe("toString");
  expect(runTone({ state: "failed" })).toBe("danger");
  expect(runTone({ state: "constructor" })).toBe("");
});

it("knows which runs go on: also those that are about to send their result", () => {
  expect(isGoingOn({ state: "running", endedAt: null })).toBe(true);
  expect(isGoingOn({ state: "ended", endedAt: 5 })).toBe(true);
  expect(isGoingOn({ state: "done", endedAt: 5 })).toBe(false);
});

it.each([
  ["running", null, null, "running", "ok"],
  ["starting", null, null, "starting", ""],
  ["unknown: its host can't be asked", null, null, "unknown: its host can't be asked", "warn"],
  ["exited with code 0", 5, 0, "exited with code 0", ""],
  ["exited with code 2", 5, 2, "exited with code 2", "danger"],
  [
    "was killed by signal SIGKILL (not sent by Baton)",
    5,
    null,
    "killed by signal SIGKILL (not sent by Baton)",
    "warn",
  ],
  ["was ended by a person (signal SIGTERM)", 5, null, "ended by a person (signal SIGTERM)", "warn"],
  ["is lost: Nobody knows how it ended", null, null, "lost: Nobody knows how it ended", "danger"],
] as const)("says that a process %s", (state, endedAt, exitCode, words, tone) => {
  expect(processWords({ state })).toBe(words);
  expect(processTone({ state, endedAt, exitCode })).toBe(tone);
  expect(hasEnded({ state, endedAt, exitCode })).toBe(!/^(?:running|starting|unknown)/.test(state));
});

it("gives states a tone by their first words", () => {
  expect(["connected", "connected 3 h ago", "ok"].map(toneOf)).toEqual(["ok", "ok", "ok"]);
  expect(["not connected: bad token", "failed", "broken"].map(toneOf)).toEqual([
    "danger",
    "danger",
    "danger",
  ]);
  expect(["connection lost, Baton keeps trying", "warning"].map(toneOf)).toEqual(["warn", "warn"]);
  expect(["standing by", "okra", ""].map(toneOf)).toEqual(["", "", ""]);
});

it("says how a move goes, in a word and in a sentence", () => {
  expect(moveWords("completed")).toEqual({ words: "moved", tone: "ok", sentence: "It continues there now." });
  for (const state of HANDOFF_STATES) {
    expect(moveWords(state).words).not.toBe(state);
    expect(moveWords(state).sentence).toMatch(/^It .*\.$/);
  }
  expect(moveWords("valueOf")).toEqual({ words: "valueOf", tone: "", sentence: "" });
});

it("says what a message is that waits, without codes", () => {
  const plain = ["notice", "message", "command", "reaction"];
  const codes = {
    purposes: PURPOSES.filter((code) => !plain.includes(code)),
    made: [...INBOX_KINDS, ...MADE_BY],
  };
  for (const purpose of codes.purposes) expect(purposeWords(purpose), purpose).toContain(" ");
  for (const kind of codes.made.filter((code) => !plain.includes(code)))
    expect(inboxWords(kind), kind).toContain(" ");
  expect([purposeWords("notice"), inboxWords("message"), inboxWords("command")]).toEqual([
    ...["notice", "message", "command"],
  ]);
  // A command that answers is one, as a command that asks.
  expect(purposeWords("command")).toBe("answer to a command");
  expect([purposeWords("toString"), inboxWords("constructor")]).toEqual(["toString", "constructor"]);
});
