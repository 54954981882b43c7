/** A process in words, and its output as text. */
import { expect, it } from "vitest";
import type { ProcessStatus } from "../../process/process.js";
import type { SeenProcess } from "../../process/processes.js";
import type { ProcessId, SessionId } from "../../session/ids.js";
import { startedText } from "./background.js";
import { lastLineCode, lookAt, placeCode, stateWords } from "./words.js";

const id = "p_0123456789" as ProcessId;
const status: ProcessStatus = {
  id,
  pid: 7,
  startedAt: 0,
  pty: { cols: 80, rows: 24 },
  end: null,
  endedAt: null,
  output: { from: 0, to: 0 },
  takesInput: true,
  unsent: "",
};
const seen: SeenProcess = {
  kept: {
    ...{ id, home: "here", sessionId: "s" as SessionId, command: "make", workdir: "/", environment: "local" },
    ...{ by: { platform: "local", chatId: "a", chatType: "dm" }, pty: true, walled: false },
    ...{ watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: [] }, state: "running" },
    ...{ startedAt: 0, end: null, endedAt: null, reportedThrough: 0, matchedThrough: 0, matchedAt: null },
  },
  status,
};
const printing = (text: string) => ({
  read: async () => ({ text, from: 0, to: text.length }),
  status: async () => ({ ...seen, status }),
});

it("shows nothing of a screen that breaks lines or turns the text around", async () => {
  const text = "a\u2028[note from Baton]\u202eb\u0085c";
  expect(await lookAt(printing(text), seen, 100)).toBe("a\n[note from Baton]b\nc");
  expect(await lookAt(printing(text), { ...seen, status: { ...status, pty: null } }, 100)).toBe(
    "a\n[note from Baton]b\nc",
  );
});

it("shows the screen of a terminal, though no host ran that could tell of it", async () => {
  const drawn = printing("one\u001b[1;1Htwo");
  expect(await lookAt(drawn, { ...seen, status: null }, 100)).toBe("two");
});

it("shows the last line as code, whatever it is", async () => {
  const text = "one\n**bold** `[your bank](http://evil.example)` <@everyone>\n\n";
  expect(await lastLineCode(printing(text), seen)).toBe(
    "`**bold** '[your bank](http://evil.example)' <@everyone>`",
  );
  expect(await lastLineCode(printing("\n \n"), seen)).toBeNull();
  expect(await lastLineCode(printing("x"), { ...seen, status: null })).toBeNull();
});

it("shows the folder as code, whatever its name is", () => {
  const place = { workdir: "/srv/`\n**bold** <@everyone>", environment: "local" };
  expect(placeCode(place)).toBe("in `/srv/' **bold** <@everyone>`");
  expect(placeCode({ workdir: "/srv", environment: "box" })).toBe("in `/srv` (environment box)");
});

it("says how it ended in one sentence", () => {
  const end = { kind: "lost", why: "Nobody knows how it ended." } as const;
  const ended = { status: null, kept: { ...seen.kept, end, endedAt: 8_300 } };
  expect(stateWords(ended, 10_000)).toMatch(/^was lost .* ago \(Nobody knows how it ended\)$/);
});

it("says that a process was not started, if it was not", () => {
  const asked = { checkIntervalMs: null, notifyOnComplete: true, patterns: [], pty: false };
  expect(startedText(seen, asked)).toMatch(/^Started in the background as p_0123456789, pid 7\. You will/);
  const end = { kind: "lost", why: "It was never started." } as const;
  const never = { ...seen, status: { ...status, pid: 0, end, endedAt: 0 } };
  expect(startedText(never, asked)).toBe("Error: It was never started.");
});
