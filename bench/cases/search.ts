/**
 * The first page of a search in a million messages: for words that few, some and most have, for phrases and beginnings of
 * words, with filters that few messages pass, and for a person who has three sessions of all. Then five searches at once
 * beside chats that are answered, in a process of its own, whose event loop is watched.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { OWNER, openSessions } from "../baton.js";
import { FEW, WORDS } from "../corpus.js";
import { interleave } from "../measure.js";
import { openRaw } from "../raw.js";
import type { Line, Outcome, Target } from "../report.js";
import type { Bench } from "../run.js";

const CHILD = fileURLToPath(new URL("./search-child.mjs", import.meta.url));
const PAGE = 20;
const DAY_MS = 86_400_000;
const THIRD_DAY = Date.UTC(2026, 0, 3);
const AT_ONCE = 5;

const FEW_SESSIONS = { kind: "person", identities: [`${FEW.person.platform}:${FEW.person.userId}`] } as const;

const SEARCHES = {
  "a rare word": [WORDS.rare, OWNER, {}],
  "a word in 1 %": [WORDS.hundredth, OWNER, {}],
  "a word in 60 %": [WORDS.most, OWNER, {}],
  "a word in 60 %, with neighbours": [WORDS.most, OWNER, { neighbours: 2 }],
  "two words": [`${WORDS.most} ${WORDS.hundredth}`, OWNER, {}],
  "a phrase": [`"${WORDS.most} bado"`, OWNER, {}],
  "a phrase that nobody said": [`"${WORDS.hundredth} ${WORDS.most}"`, OWNER, {}],
  "the beginning of a word in 60 %": [`${WORDS.most.slice(0, 4)}*`, OWNER, {}],
  "the beginning of a rare word": [`${WORDS.rare.slice(0, 4)}*`, OWNER, {}],
  "two letters of most messages": ["ba*", OWNER, {}],
  "a word in 60 %, by a rare role": [WORDS.most, OWNER, { role: "system" }],
  "a word in 1 %, by a tool": [WORDS.hundredth, OWNER, { role: "tool" }],
  "a word in 60 %, on a rare platform": [WORDS.most, OWNER, { platform: FEW.platform }],
  "a word in 60 %, on one day": [WORDS.most, OWNER, { after: THIRD_DAY, before: THIRD_DAY + DAY_MS }],
  "a word in 60 %, before the first day": [WORDS.most, OWNER, { before: THIRD_DAY - 3 * DAY_MS }],
  "a word in 60 %, in 3 sessions": [WORDS.most, FEW_SESSIONS, {}],
  "the beginning of a word, in 3 sessions": ["ba*", FEW_SESSIONS, {}],
} as const;

/** What the child prints. */
interface Figures {
  readonly searches: number;
  readonly slowest: number;
  readonly quiet: Beside;
  readonly beside: Beside;
}

interface Beside {
  readonly answered: number;
  readonly median: number;
  readonly loopP99: number;
}

export async function search(bench: Bench): Promise<Outcome> {
  const alone = await oneByOne(bench);
  const beside = await besideChats(bench);
  return { lines: [...alone.lines, ...beside.lines], targets: [...alone.targets, ...beside.targets] };
}

async function oneByOne({ stores, sizes, rounds }: Bench): Promise<Outcome> {
  const path = await stores.toSearch(sizes.search);
  const sessions = await openSessions({ url: path });
  const database = openRaw(path);
  const select = database.prepare(
    `SELECT m.* FROM message_terms JOIN messages m ON m.id = message_terms.rowid
     WHERE message_terms MATCH ? ORDER BY message_terms.rowid DESC LIMIT ?`,
  );
  const searches = Object.entries(SEARCHES).map(([what, [query, viewer, options]]) => ({
    what,
    ours: () => sessions.search(query, viewer, { limit: PAGE, ...options }),
    raw: () => select.all(`"${query}"`, PAGE + 1),
    isWord: /^\w+$/.test(query) && viewer === OWNER && Object.keys(options).length === 0,
  }));
  for (const { what, ours } of searches) {
    const none = /nobody|before/.test(what);
    if (((await ours()).items.length === 0) !== none)
      throw new Error(
        `${what}: the search finds ${none ? "something" : "nothing"}, the benchmark would be void.`,
      );
  }
  const steps = searches.flatMap(({ ours, raw, isWord }) => (isWord ? [ours, raw] : [ours]));
  const times = await interleave(steps, rounds, sizes.reads);
  const { n } = database.prepare("SELECT count(*) AS n FROM messages").get() as { n: number };
  await sessions.close();
  database.close();
  const lines = searches.map(({ what, ours, raw, isWord }): Line => {
    const timeOf = (step: unknown) => times[(steps as unknown[]).indexOf(step)] ?? Number.NaN;
    return {
      what: `search ${n} messages, ${what}`,
      ours: timeOf(ours),
      raw: isWord ? timeOf(raw) : null,
      unit: "ms",
    };
  });
  return {
    lines,
    targets: lines.map(({ what, ours, unit }): Target => ({ what, value: ours, atMost: 30, unit })),
  };
}

async function besideChats({ stores, sizes }: Bench): Promise<Outcome> {
  const given = { url: await stores.toSearch(sizes.search), seconds: sizes.searchSeconds, atOnce: AT_ONCE };
  const searches = Object.values(SEARCHES);
  const { stdout } = await promisify(execFile)(process.execPath, [
    CHILD,
    JSON.stringify({ ...given, searches }),
  ]);
  const { quiet, beside, ...done } = JSON.parse(stdout) as Figures;
  const during = `${AT_ONCE} searches at once`;
  return {
    lines: [
      { what: `${during}, done`, ours: done.searches / sizes.searchSeconds, raw: null, unit: "/s" },
      { what: `${during}, the slowest`, ours: done.slowest, raw: null, unit: "ms" },
      { what: `${during}, a chat's answer beside them`, ours: beside.median, raw: quiet.median, unit: "ms" },
      { what: `${during}, event loop delay, p99`, ours: beside.loopP99, raw: quiet.loopP99, unit: "ms" },
    ],
    targets: [
      { what: `${during}: event loop delay, p99`, value: beside.loopP99, atMost: 20, unit: "ms" },
      {
        what: `${during}: chats without an answer`,
        value: beside.answered === 0 ? 1 : 0,
        atMost: 0,
        unit: "",
      },
    ],
  };
}
