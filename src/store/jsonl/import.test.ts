/** Whatever reading one session throws, it costs that session. */
import { expect, it, vi } from "vitest";
import { folder, store } from "../../../test/support/session-files.js";
import type { ImportContext } from "./context.js";
import { type FoundSession, foundSession, type PendingSession } from "./found-session.js";
import { importSessions } from "./import.js";
import { ownersPlace } from "./place.js";

const sourcesInFolder = vi.hoisted(() => vi.fn());
vi.mock("./find-sources.js", () => ({ sourcesInFolder, sourcesInFile: vi.fn() }));

it("goes on with the next session, and reports why this one is missing", async () => {
  const failing = (file: string, error: unknown): PendingSession => ({
    file,
    read: () => Promise.reject(error),
  });
  const sound = (context: ImportContext): FoundSession =>
    foundSession(
      {
        format: "claude-code",
        file: "c.jsonl",
        originalId: "c",
        place: ownersPlace("c", {}),
        bind: false,
        transcript: { messages: [{ role: "user", content: "hi" }], places: [0] },
        modifiedAt: 0,
      },
      context,
    );
  sourcesInFolder.mockImplementation(async (path: string, context: ImportContext) => [
    {
      format: "claude-code",
      path,
      sessions: [
        failing("a.jsonl", new RangeError("Invalid string length")),
        failing("b.jsonl", "no error at all"),
        { file: "c.jsonl", read: async () => sound(context) },
      ],
      close: async () => {},
    },
  ]);
  const seen: string[] = [];
  const onProgress = (done: number, total: number): void => void seen.push(`${done}/${total}`);
  const report = await importSessions(folder(), await store(), { onProgress });
  expect(report.sessions.map(({ sessionId }) => sessionId)).toEqual(["c"]);
  expect(report.problems).toEqual([
    {
      file: "a.jsonl",
      line: null,
      reason: "The session cannot be read: It is nested too deeply, or too large.",
    },
    { file: "b.jsonl", line: null, reason: "The session cannot be read: no error at all." },
  ]);
  expect(seen).toEqual(["0/3", "1/3", "2/3", "3/3"]);
});
