/** A person who has used Baton for a while: conversations on several platforms, a job, and what all of it used. For pictures. */
import { join } from "node:path";
import { openDb, openStore } from "../../src/open-sessions.js";
import type { SessionSource } from "../../src/session/source.js";
import { baton } from "./baton.js";
import { ANN, type PageGateway, type Play } from "./page-gateway.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
const ON_DISCORD = "200000000000000001";
const ON_SLACK = "U0ANN00001";

interface Told {
  readonly title: string;
  readonly source: SessionSource;
  readonly agoMs: number;
  readonly said: string;
  readonly answer: string;
}

const discord = (threadId: string): SessionSource => ({
  platform: "discord",
  chatId: "300000000000000001",
  chatName: "garden party",
  chatType: "dm",
  userId: ON_DISCORD,
  userName: "Ann",
  threadId,
});
const slack = (threadId: string): SessionSource => ({
  platform: "slack",
  chatId: "D0ANN00001",
  chatType: "dm",
  userId: ON_SLACK,
  userName: "Ann",
  threadId,
});

const CONVERSATIONS: readonly Told[] = [
  {
    title: "Seats for the garden party",
    source: discord("1"),
    agoMs: 3 * HOUR_MS,
    said: "Who sits beside whom?",
    answer: "Here is a plan for five tables.",
  },
  {
    title: "Release notes for Thursday",
    source: slack("1718000000.000100"),
    agoMs: 5 * HOUR_MS,
    said: "Draft the release notes.",
    answer: "Done: twelve changes, two of them for everybody.",
  },
  {
    title: "Why the build is slow",
    source: slack("1718000000.000200"),
    agoMs: 26 * HOUR_MS,
    said: "Look at last night's build.",
    answer: "The cache was empty, so everything was built anew.",
  },
  {
    title: "Lanterns and fairy lights",
    source: discord("2"),
    agoMs: 2 * DAY_MS,
    said: "How many lanterns for a lawn of 60 metres?",
    answer: "35, with one for each table.",
  },
];

export const playsOfAnn: Play = (said, last) => {
  const usage = { input: 4_100, output: 320 };
  if (last.role === "tool") return { text: TRAINS, usage };
  if (!said.startsWith("Find a train"))
    return { text: "Sunny, 24 degrees, a light wind from the sea.", usage };
  const command = "printf 'IC 521 08:04 10:31\\nAP 131 09:39 11:52\\n'";
  return {
    reasoning: "They want to be in Porto before noon, so only the first two trains count.",
    text: "I look it up.",
    calls: [{ name: "terminal", arguments: JSON.stringify({ command }) }],
    usage,
  };
};

const TRAINS = `Two trains arrive before noon:

| Train | Leaves | Arrives |
|---|---|---|
| IC 521 | 08:04 | 10:31 |
| AP 131 | 09:39 | 11:52 |

- **Cheapest**: IC 521, for \`24.50 €\`
- [Timetable](https://example.org/trains)

> Book before Friday.`;

/** Fills the store of a gateway that runs, and lets Ann write something on Telegram. */
export async function aMonthOfAnn(gateway: PageGateway): Promise<void> {
  for (const other of [`discord:${ON_DISCORD}`, `slack:${ON_SLACK}`])
    await done(baton(gateway.home, ["people", "link", `telegram:${ANN}`, other]));
  const url = join(gateway.home, "baton.db");
  const now = Date.now();
  for (const { title, source, agoMs, said, answer } of CONVERSATIONS) {
    const { sessions } = await openStore({ url, clock: () => now - agoMs });
    const { entry } = await sessions.receive(source, { role: "user", content: said });
    await sessions.record(entry.sessionId, [{ role: "assistant", content: answer }], {});
    await sessions.setTitle(entry.sessionId, title);
    await sessions.close();
  }
  await used(url, now);
  await gateway.writes(ANN, "What is the weather in Lisbon?");
  await gateway.telegram.until(() => gateway.told(ANN).some((text) => text.startsWith("Sunny")));
}

/** What models used on each of the last days: more in the middle of a week. */
async function used(url: string, now: number): Promise<void> {
  const db = await openDb(url);
  for (let ago = 1; ago < DAYS; ago++) {
    const at = new Date(now - ago * DAY_MS);
    const calls = [3, 14, 19, 24, 17, 12, 5][at.getUTCDay()] ?? 0;
    const input = calls * (4_300 + 130 * (ago % 5));
    await db.run(
      `INSERT INTO model_usage (identity, day, session_id, job_id, model, model_calls, unpriced_calls, input_tokens,
         output_tokens, cost) VALUES (?, ?, '', '', 'model-a', ?, 0, ?, ?, ?)`,
      ...[`telegram:${ANN}`, at.toISOString().slice(0, 10), calls, input, calls * 310],
      (input * 3 + calls * 310 * 15) / 1e6,
    );
  }
  await db.close();
}

async function done(
  command: Promise<{ readonly code: number | null; readonly stderr: string }>,
): Promise<void> {
  const { code, stderr } = await command;
  if (code !== 0) throw new Error(stderr);
}
