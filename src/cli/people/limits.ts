/** `baton people limits`: the limits of each person, and how much of today's they have used. */
import type { Config } from "../../config/config.js";
import { dayOf, isLimit, type Limits, limitsFor, MEGABYTE, spentToday } from "../../gateway/limits.js";
import type { DaySpending } from "../../gateway/store.js";
import { cleanLine } from "../../util/text.js";
import { dollars, grouped } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { everybody, type PeopleListRow } from "./list.js";
import { NOBODY } from "./people.js";

interface LimitsRow extends PeopleListRow, Omit<DaySpending, "identity"> {
  readonly limits: Limits;
}

export async function limits(cli: Cli, options: { json?: boolean }): Promise<void> {
  const { terminal } = cli;
  const config = await cli.loadConfig();
  const { people, spending, close } = await cli.openPeople(config, "look");
  try {
    const day = await spending.of(dayOf(Date.now()).day);
    const rows = (await everybody(people)).map((row) => usedBy(row, config, day));
    if (options.json) return terminal.json({ people: rows.map(asJson) });
    if (rows.length === 0) return terminal.line(NOBODY);
    const { printTable } = await import("../table.js");
    await printTable(
      terminal,
      [
        {
          title: "WHO",
          cell: ({ name, identities }: LimitsRow) => name ?? identities[0] ?? "",
          flexible: true,
        },
        { title: "ROLE", cell: ({ role }) => role ?? "none" },
        {
          title: "CALLS TODAY",
          cell: ({ modelCalls, limits }) => ofLimit(grouped(modelCalls), limits.modelCallsPerDay),
        },
        {
          title: "FILES TODAY (MB)",
          cell: ({ mediaBytes, limits }) =>
            ofLimit((mediaBytes / MEGABYTE).toFixed(1), limits.mediaBytesPerDay / MEGABYTE),
        },
        {
          title: "TOKENS TODAY",
          cell: ({ tokens, limits }) => ofLimit(grouped(tokens), limits.tokensPerDay),
        },
        {
          title: "COST TODAY",
          cell: ({ cost, limits }) => ofLimit(dollars(cost), limits.costPerDay, dollars),
        },
        {
          title: "MESSAGES/MIN",
          cell: ({ limits }) => most(limits.messagesPerMinute),
        },
        { title: "TURNS", cell: ({ limits }) => most(limits.turnsAtOnce) },
      ],
      rows,
    );
    terminal.line("\nDays start at midnight UTC. Run `baton usage` to see what was used before.");
  } finally {
    await close();
  }
}

function usedBy(row: PeopleListRow, config: Config, day: readonly DaySpending[]): LimitsRow {
  const names = row.identities;
  const limits = limitsFor({ role: row.role ?? "guest", names }, config.limits);
  return { ...row, limits, ...spentToday(names, day) };
}

function ofLimit(used: string, limit: number, shown = grouped): string {
  return isLimit(limit) ? `${used} of ${shown(limit)}` : "no limit";
}

function most(limit: number): string {
  return isLimit(limit) ? grouped(limit) : "no limit";
}

function asJson({ id, name, role, identities, modelCalls, mediaBytes, tokens, cost, limits }: LimitsRow) {
  const finite = Object.entries(limits).map(([key, limit]) => [key, Number.isFinite(limit) ? limit : null]);
  return {
    id,
    name: name === null ? null : cleanLine(name),
    role,
    identities,
    today: { modelCalls, mediaBytes, tokens, cost },
    limits: Object.fromEntries(finite),
  };
}
