/**
 * How long one text of 40,000 characters keeps everybody else waiting: outward, as an answer is cut and each piece of it
 * formatted, and inward, as a message is read. Texts that are made to break or to delay, and ordinary ones. An answer is
 * lost where a piece shows nothing or the pieces are not the text; a message, where nothing is heard.
 */

import fc from "fast-check";
import { LIMITS as DISCORD } from "../../src/adapter/discord/limits.js";
import { LIMITS as MATRIX } from "../../src/adapter/matrix/limits.js";
import { LIMITS as SLACK } from "../../src/adapter/slack/limits.js";
import { LIMITS as TELEGRAM } from "../../src/adapter/telegram/limits.js";
import { aDeepText, aHostileText } from "../../test/support/hostile-text.js";
import { INBOUND } from "../../test/support/inbound-readers.js";
import { aDocument } from "../../test/support/random-markdown.js";
import type { Line, Outcome, Target } from "../report.js";
import type { Bench } from "../run.js";

const LENGTH = 40_000;
const MOST_MS = 50;
/** One in so many is of the whole length, the others of one to three messages: what is made to break does so in little. */
const LONG_EVERY = 20;
const LENGTHS = [3_000, 6_000];
const ORDINARY = 10;

const { prepareMarkdown } = await built<typeof import("../../src/adapter/markdown/prepare.js")>(
  "adapter/markdown/prepare.js",
);
const { splitInTurns } = await built<typeof import("../../src/delivery/split.js")>("delivery/split.js");
const discord =
  await built<typeof import("../../src/adapter/discord/format.js")>("adapter/discord/format.js");
const matrix = await built<typeof import("../../src/adapter/matrix/content.js")>("adapter/matrix/content.js");
const signal = await built<typeof import("../../src/adapter/signal/format.js")>("adapter/signal/format.js");
const { senderPrefixed } = await built<typeof import("../../src/session/sender.js")>("session/sender.js");
const slack = await built<typeof import("../../src/adapter/slack/format.js")>("adapter/slack/format.js");
const telegram = await built<typeof import("../../src/adapter/telegram/format.js")>(
  "adapter/telegram/format.js",
);
const whatsapp = await built<typeof import("../../src/adapter/whatsapp/format.js")>(
  "adapter/whatsapp/format.js",
);

interface Platform {
  readonly max: number;
  readonly lengthOf: (markdown: string) => number;
  /** What is sent. */
  readonly format: (markdown: string) => string;
}

const OUTBOUND: Readonly<Record<string, Platform>> = {
  Telegram: { max: TELEGRAM.maxText, lengthOf: telegram.shownLength, format: telegram.toHtml },
  Discord: { max: DISCORD.maxText, lengthOf: discord.lengthOf, format: discord.formatMarkdown },
  Slack: { max: SLACK.maxText, lengthOf: slack.mrkdwnLength, format: slack.toMrkdwn },
  Matrix: {
    max: MATRIX.maxText,
    lengthOf: matrix.textBytes,
    format: (markdown) => JSON.stringify(matrix.textContent(markdown)),
  },
  Signal: {
    max: 2_000,
    lengthOf: (markdown) => Buffer.byteLength(signal.formatText(markdown).text),
    format: (markdown) => signal.formatText(markdown).text,
  },
  WhatsApp: {
    max: 4_096,
    lengthOf: (markdown) => whatsapp.formatText(markdown).length,
    format: whatsapp.formatText,
  },
};

const SOMEBODY = { name: "Ann", author: { id: "telegram:1", role: "guest" } };
const READERS: Readonly<Record<string, (text: string) => string | null>> = {
  ...INBOUND,
  "A shared session": (text) => senderPrefixed(SOMEBODY, `# &${text}`),
};

export async function hostile({ sizes }: Bench): Promise<Outcome> {
  const lines: Line[] = [];
  const targets: Target[] = [];
  const add = (what: string, { longestMs, lost }: Found): void => {
    lines.push({ what, ours: longestMs, raw: null, unit: "ms" });
    targets.push({ what: `${what}: CPU without a break`, value: longestMs, atMost: MOST_MS, unit: "ms" });
    targets.push({ what: `${what}: lost`, value: lost, atMost: 0, unit: "" });
  };
  for (const [name, platform] of Object.entries(OUTBOUND)) {
    const say = (text: string): Promise<boolean> => isSaid(text, platform);
    add(`${name}: ${sizes.hostile} hostile answers`, await longestStretch(hostileTexts(sizes.hostile), say));
    add(`${name}: ${ORDINARY} ordinary answers`, await longestStretch(ordinaryTexts(), say));
  }
  for (const [name, hear] of Object.entries(READERS)) {
    const isHeard = async (text: string): Promise<boolean> => (hear(`x${text}`) ?? "") !== "";
    add(
      `${name}: ${sizes.hostile} hostile messages`,
      await longestStretch(hostileTexts(sizes.hostile), isHeard),
    );
  }
  return { lines, targets };
}

/** As the gateway does it: cut in turns, then each piece read in turns and formatted at once. */
async function isSaid(text: string, { max, lengthOf, format }: Platform): Promise<boolean> {
  const pieces = await splitInTurns(text, { max, lengthOf, prepare: prepareMarkdown });
  let isWhole = text.trim() === "" || pieces.length > 0;
  for (const piece of pieces) {
    await nextRound();
    await prepareMarkdown(piece);
    if (format(piece) === "") isWhole = false;
  }
  return isWhole;
}

function* hostileTexts(count: number): Generator<string> {
  for (let n = 0; n < count; n++) {
    const length = n % LONG_EVERY === 0 ? LENGTH : (LENGTHS[n % LENGTHS.length] ?? LENGTH);
    yield* fc.sample(fc.oneof(aHostileText(length), aDeepText(length)), { numRuns: 1, seed: n });
  }
}

function* ordinaryTexts(): Generator<string> {
  const documents = fc.array(aDocument, { minLength: 900, maxLength: 900 });
  for (const all of fc.sample(documents, { numRuns: ORDINARY, seed: 1 }))
    yield all.join("\n\n").slice(0, LENGTH);
}

interface Found {
  readonly longestMs: number;
  readonly lost: number;
}

/** A stretch that is too long is taken again: what other processes and the garbage of earlier texts cost does not come twice. */
const ATTEMPTS = 3;
/** Long enough that nothing else stays read. */
const OTHER_TEXT = "Some other words.\n\n```\n".concat(
  "x".repeat(150_000),
  "\n```\n\nAnd more.\n\n```\n",
  "y".repeat(150_000),
);

async function longestStretch(
  texts: Iterable<string>,
  work: (text: string) => Promise<boolean>,
): Promise<Found> {
  let [longestMs, lost] = [0, 0];
  for (const text of texts) {
    const [first, isWhole] = await stretchOf(() => work(text));
    let stretch = first;
    for (let attempt = 1; stretch > MOST_MS && attempt < ATTEMPTS; attempt++) {
      await prepareMarkdown(OTHER_TEXT);
      stretch = Math.min(stretch, (await stretchOf(() => work(text)))[0]);
    }
    longestMs = Math.max(longestMs, stretch);
    if (!isWhole) lost += 1;
  }
  return { longestMs, lost };
}

/** Beside the work a ticker runs in every round of the event loop. What other processes take is not counted. */
async function stretchOf(work: () => Promise<boolean>): Promise<readonly [number, boolean]> {
  let longest = 0;
  let isOver = false;
  await nextRound();
  let [at, cpu] = [performance.now(), process.cpuUsage()];
  const tick = (): void => {
    const { user, system } = process.cpuUsage(cpu);
    // Of the whole process, also of what collects its garbage meanwhile: the loop stood no longer than either.
    longest = Math.max(longest, Math.min((user + system) / 1_000, performance.now() - at));
    [at, cpu] = [performance.now(), process.cpuUsage()];
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const isWhole = await work();
  await nextRound();
  isOver = true;
  await nextRound();
  return [longest, isWhole];
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function built<Module>(path: string): Promise<Module> {
  return import(new URL(`../../dist/${path}`, import.meta.url).href) as Promise<Module>;
}
