/**
 * Something of everything that the page shows, after a month of Ann: a job with a run, processes with output and with a terminal, a
 * note, letters that were not sent, somebody who asks for access, long work, and many names in what was used.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openDb, openStore } from "../../src/open-sessions.js";
import { ANN, BOB, type PageGateway, type Play } from "./page-gateway.js";
import { aMonthOfAnn, playsOfAnn } from "./page-month.js";
import { sees, write } from "./page-steps.js";

const STRANGER = 100_003;
const COMMANDS: Readonly<Record<string, object>> = {
  "Start the server.": { command: "echo 'the server listens'; sleep 600" },
  "Open a terminal.": { command: "printf '\\033[1mload: 0.42\\033[0m'; sleep 600", pty: true },
};
/** So many models, platforms and people have names in the plots, and more than have bars of their own. */
const NAMES = 14;
/** A name that would turn around what stands beside it: its letters go from right to left. */
export const TURNING = "\u05d0\u05d1\u05d2\u05d3";

/** In which an answer is being written, and a message waits. */
export const BUSY_THREAD = "thread-that-is-busy";
const ENDLESS = "Think about it for long.";

const plays: Play = (said, last) => {
  if (said === ENDLESS) return { text: ["I think ", "and think"], gate: new Promise(() => {}) };
  if (said.endsWith("say what the weather is")) return { text: "Sunny, 24 degrees." };
  const run = COMMANDS[said];
  if (!run) return playsOfAnn(said, last);
  if (last.role === "tool") return { text: `Done: ${said}` };
  return { calls: [{ name: "terminal", arguments: JSON.stringify({ ...run, background: true }) }] };
};

/** `page`: where Ann is signed in. */
export async function somethingEverywhere(gateway: PageGateway, page: Page): Promise<void> {
  gateway.play = plays;
  await aMonthOfAnn(gateway);
  await write(page, "Find a train from Lisbon to Porto tomorrow morning.");
  await sees(page, "Book before Friday.");
  for (const command of Object.keys(COMMANDS)) {
    await write(page, command);
    await sees(page, `Done: ${command}`);
  }
  await write(page, "/memory add I am allergic to nuts.");
  await write(page, "/cron add every day at 9: say what the weather is");
  await sees(page, /every day at 9|09:00/);
  await lettersThatFail(gateway);
  await gateway.writes(STRANGER, "Hello?", { name: "Zoe" });
  await gateway.telegram.until(() => gateway.told(STRANGER).some((text) => text.includes("Your code is")));
  await inTheStore(gateway);
  await page.goto(`${gateway.url}/chat/${BUSY_THREAD}`);
  await write(page, ENDLESS);
  await sees(page, "I think");
  await write(page, "And then this.");
  await sees(page, "waits for its turn");
}

/** Not sent, and perhaps: each to Ann herself, and to Bob, whose letters she may not read. */
async function lettersThatFail(gateway: PageGateway): Promise<void> {
  const { telegram } = gateway;
  for (const trouble of ["refused", "swallowed"] as const)
    for (const person of [ANN, BOB]) {
      const before = telegram.calls.length;
      telegram.trouble(trouble);
      await gateway.writes(person, "Can you hear me?");
      await telegram.until(() => telegram.calls.slice(before).some(({ method }) => method === "sendMessage"));
    }
}

async function inTheStore(gateway: PageGateway): Promise<void> {
  const url = join(gateway.home, "baton.db");
  const { sessions, store } = await openStore({ url });
  await store.work.begin(
    { what: "Importing an archive", unit: "messages", total: 5_000 },
    "test",
    Date.now(),
  );
  await sessions.close();
  const db = await openDb(url);
  const day = new Date().toISOString().slice(0, 10);
  for (let n = 0; n < NAMES; n++) {
    const name = n === 0 ? TURNING : `somebody-${n}-with-a-name-that-is-longer-than-its-place-in-a-plot`;
    await db.run(
      `INSERT INTO model_usage (identity, day, session_id, job_id, model, model_calls, unpriced_calls, input_tokens,
         output_tokens, cost) VALUES (?, ?, '', '', ?, 3, ?, ?, 900, ?)`,
      ...[`telegram:${name}`, day, name, n % 2, 40_000 * (NAMES - n), (n % 2 ? 0 : 0.12) * n],
    );
  }
  await db.close();
}
