/** Lines that match while nothing may be said: they are said later, and all of them are counted. */
import { expect, it } from "vitest";
import { until } from "../../../test/support/gateway-world.js";
import type { KeptProcess } from "../../process/store.js";
import type { ProcessId, SessionId } from "../../session/ids.js";
import type { SessionKey } from "../../session/session-key.js";
import { OutputWatch, type SaidOfProcess } from "./output-watch.js";

const BY = { platform: "local", chatId: "terminal", chatType: "dm" } as const;
const PROCESS: KeptProcess = {
  id: "p_0123456789" as ProcessId,
  home: "here",
  sessionId: "s" as SessionId,
  by: BY,
  command: "make",
  workdir: "/srv/app",
  walled: false,
  environment: "local",
  pty: false,
  watch: { checkIntervalMs: null, notifyOnComplete: false, patterns: ["ERROR"] },
  state: "running",
  startedAt: 0,
  end: null,
  endedAt: null,
  reportedThrough: 0,
  matchedThrough: 0,
  matchedAt: null,
};

it("counts every line that matched while the breaker paused, and says the last ones", async () => {
  const output = Buffer.from(Array.from({ length: 600 }, (_, n) => `ERROR ${n}\n`).join(""));
  let now = 0;
  let asked = 0;
  const said: (SaidOfProcess | null)[] = [];
  const place = { key: "k" as SessionKey, source: BY, account: null, isCurrent: true };
  const seen = { process: PROCESS, place };
  const watch = new OutputWatch(seen, {
    processes: {
      read: async (_, from, limit) => {
        const to = Math.min(output.length, from + limit);
        return { text: output.toString("utf8", from, to), from, to };
      },
      follow: async () => () => {},
    },
    admit: () => {
      asked += 1;
      return now === 0 ? 1 : null;
    },
    report: async (_seen, _step, what) => {
      said.push(what);
      return true;
    },
    onStale: () => {},
    clock: () => now,
    onProblem: (problem) => expect.unreachable(problem),
  });
  watch.wake(seen);
  await until(() => asked > 1);
  expect(said).toEqual([]);
  now = 1;
  await until(() => said.length > 0);
  await watch.stop();
  expect(said[0]?.text).toContain("printed 600 lines that match");
  expect(said[0]?.text).toContain("The last 20 of them follow.");
  const shown = Array.from({ length: 20 }, (_, n) => `\n| ERROR ${580 + n}`).join("");
  expect(said[0]?.text.endsWith(shown)).toBe(true);
});
