/** `baton usage`: what model calls used and cost, by day, person, session, job or model, for the owner of this machine. */
import { TERMINAL } from "../gateway/authorize.js";
import type { UsageBy, UsageReader, UsageSum } from "../gateway/usage-store.js";
import {
  costWords,
  lastDays,
  modelName,
  noUsage,
  together,
  unpricedModels,
  unpricedNote,
} from "../gateway/usage-words.js";
import { asSessionId } from "../session/ids.js";
import { bar } from "../util/bar.js";
import { cleanLine } from "../util/text.js";
import { counted, grouped } from "../util/words.js";
import type { Cli } from "./cli.js";
import type { OpenPeople } from "./opened.js";
import type { JsonOption } from "./options.js";
import { everybody } from "./people/list.js";
import { findPerson } from "./people/people.js";
import { type Column, printTable } from "./table.js";

interface UsageOptions extends JsonOption {
  readonly by: "day" | "person" | "session" | "job" | "model";
  readonly days: number;
  readonly person?: string;
}

/** A row, with what it is called for people. */
interface NamedSum extends UsageSum {
  readonly name: string;
}

const WIDEST_BAR = 40;
const NARROWEST_BAR = 8;
const GAP = 2;
/** Of what is not a day; those with the most tokens come first. */
const MOST_ROWS = 50;

export async function showUsage(cli: Cli, { by, days, person, json }: UsageOptions): Promise<void> {
  const { terminal } = cli;
  const open = await cli.openPeople(await cli.loadConfig(), "look");
  try {
    const reader = await readerFor(open, person);
    const inRange = lastDays(Date.now(), days);
    const range = { fromDay: inRange[0] ?? "" };
    const sums = (what: UsageBy) => open.usage.sums(reader, what, range);
    const rows = await rowsBy(open, by, inRange, sums);
    const unpriced = unpricedModels(await sums("model"));
    const total: NamedSum = { ...together(rows), name: "total" };
    if (json) {
      const [from, through] = [inRange[0], inRange.at(-1)];
      return terminal.json({
        by,
        from,
        through,
        rows: rows.map(facts),
        total: sumFacts(rows),
        costUnknownFor: unpriced,
      });
    }
    if (total.modelCalls === 0) return terminal.line(`Nothing was used in the last ${counted(days, "day")}.`);
    const shown = by === "day" ? rows : rows.slice(0, MOST_ROWS);
    await printTable(terminal, columnsOf(cli, by, shown, total), [...shown, total]);
    const left = rows.length - shown.length;
    if (left > 0) terminal.line(`\nThe total has ${counted(left, "more row")}. --json prints all of them.`);
    for (const line of unpricedNote(unpriced)) terminal.line(`\n${line}`);
  } finally {
    await open.close();
  }
}

/** Without a name, everybody. An account that nobody knows any more may still have used something. */
async function readerFor({ people }: OpenPeople, who: string | undefined): Promise<UsageReader> {
  if (who === undefined) return { kind: "owner" };
  const known = who.startsWith("p_") || (await people.store.find(who)) !== null;
  if (!known) return { kind: "person", identities: [who] };
  const { identities } = await findPerson(people, who);
  return { kind: "person", identities: identities.map(({ identity }) => identity) };
}

async function rowsBy(
  open: OpenPeople,
  by: UsageOptions["by"],
  days: readonly string[],
  sums: (by: UsageBy) => Promise<UsageSum[]>,
): Promise<readonly NamedSum[]> {
  switch (by) {
    case "day":
      return everyDay(await sums("day"), days);
    case "person":
      return byPerson(open, await sums("identity"));
    case "session": {
      const found = await sums("session");
      const entryOf = (key: string) => (key === "" ? null : open.sessions.get(asSessionId(key)));
      const entries = await Promise.all(found.map(({ key }) => entryOf(key)));
      return found.map((sum, n) => ({
        ...sum,
        name: entries[n]?.title ?? entries[n]?.displayName ?? (sum.key || "erased"),
      }));
    }
    case "job": {
      const names = new Map((await open.jobs.list(null)).map(({ id, name }) => [id as string, name]));
      const name = (key: string) => (key === "" ? "no job" : (names.get(key) ?? key));
      return (await sums("job")).map((sum) => ({ ...sum, name: name(sum.key) }));
    }
    case "model":
      return (await sums("model")).map((sum) => ({ ...sum, name: modelName(sum.key) }));
    default:
      return by satisfies never;
  }
}

/** From the first day on which something was used. */
function everyDay(sums: readonly UsageSum[], days: readonly string[]): NamedSum[] {
  const byDay = new Map(sums.map((sum) => [sum.key, sum]));
  const first = days.findIndex((day) => byDay.has(day));
  return first < 0
    ? []
    : days.slice(first).map((day) => ({ ...(byDay.get(day) ?? noUsage(day)), name: day }));
}

/** The accounts of a person are one row. */
async function byPerson({ people }: OpenPeople, sums: readonly UsageSum[]): Promise<NamedSum[]> {
  const known = await everybody(people);
  const rows = new Map<string, { readonly name: string; readonly sums: UsageSum[] }>();
  for (const sum of sums) {
    const person = known.find(({ identities }) => identities.includes(sum.key));
    const key = person?.id ?? sum.key;
    const name =
      person?.name ?? (sum.key === TERMINAL ? "this machine's terminal" : sum.key || "nobody known");
    const row = rows.get(key) ?? { name, sums: [] };
    row.sums.push(sum);
    rows.set(key, row);
  }
  return [...rows]
    .map(([key, { name, sums }]) => ({ ...together(sums, key), name }))
    .sort((one, other) => other.totalTokens - one.totalTokens);
}

function columnsOf(
  { terminal, environment }: Cli,
  by: UsageOptions["by"],
  rows: readonly NamedSum[],
  total: NamedSum,
): readonly Column<NamedSum>[] {
  const columns: readonly Column<NamedSum>[] = [
    { title: by.toUpperCase(), cell: ({ name }) => name, flexible: by !== "day" },
    { title: "CALLS", cell: ({ modelCalls }) => grouped(modelCalls), align: "right" },
    { title: "INPUT", cell: ({ inputTokens }) => grouped(inputTokens), align: "right" },
    { title: "OUTPUT", cell: ({ outputTokens }) => grouped(outputTokens), align: "right" },
    ...(total.cacheReadTokens + total.cacheWriteTokens > 0
      ? [
          {
            title: "CACHE",
            cell: ({ cacheReadTokens, cacheWriteTokens }: NamedSum) =>
              grouped(cacheReadTokens + cacheWriteTokens),
            align: "right" as const,
          },
        ]
      : []),
    { title: "TOKENS", cell: ({ totalTokens }) => grouped(totalTokens), align: "right" },
    { title: "COST", cell: (row) => (row.modelCalls === 0 ? "" : costWords(row)), align: "right" },
  ];
  const all = [...rows, total];
  const taken = columns.map(({ title, cell }) =>
    Math.max(title.length, ...all.map((row) => cleanLine(cell(row)).length)),
  );
  const left = terminal.columns - taken.reduce((sum, width) => sum + width + GAP, 0);
  const width = Math.min(WIDEST_BAR, left);
  if (width < NARROWEST_BAR) return columns;
  const most = Math.max(...rows.map(({ totalTokens }) => totalTokens));
  const unicode = terminal.isSeen && environment.unicode;
  const drawn = (row: NamedSum) => (row === total ? "" : bar(row.totalTokens, most, width, unicode));
  return [...columns, { title: "", cell: drawn, paint: (text) => terminal.paint.cyan(text) }];
}

function sumFacts(rows: readonly UsageSum[]) {
  const { key: _, ...sum } = together(rows);
  return sum;
}

function facts({ name, ...sum }: NamedSum) {
  return { ...sum, name: cleanLine(name) };
}
