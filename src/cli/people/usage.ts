/** `baton people usage`: how much of today's limits each person has used. */
import type { Config } from "../../config/config.js";
import { dayOf, type Limits, limitsFor, MEGABYTE, spentToday } from "../../gateway/limits.js";
import type { DaySpending } from "../../gateway/store.js";
import { cleanLine } from "../../util/text.js";
import { grouped } from "../../util/words.js";
import type { Cli } from "../cli.js";
import { everybody, type PeopleListRow } from "./list.js";
import { NOBODY } from "./people.js";

interface Used extends PeopleListRow {
  readonly limits: Limits;
  readonly modelCalls: number;
  readonly mediaBytes: number;
}

export async function usage(cli: Cli, options: { json?: boolean }): Promise<void> {
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
        { title: "WHO", cell: ({ name, identities }: Used) => name ?? identities[0] ?? "", flexible: true },
        { title: "ROLE", cell: ({ role }) => role ?? "none" },
        {
          title: "MODEL CALLS TODAY",
          cell: ({ modelCalls, limits }) => ofLimit(grouped(modelCalls), limits.modelCallsPerDay),
        },
        {
          title: "FILES TODAY (MB)",
          cell: ({ mediaBytes, limits }) =>
            ofLimit((mediaBytes / MEGABYTE).toFixed(1), limits.mediaBytesPerDay / MEGABYTE),
        },
        {
          title: "MESSAGES PER MINUTE",
          cell: ({ limits }) => most(limits.messagesPerMinute),
        },
        { title: "TURNS AT ONCE", cell: ({ limits }) => most(limits.turnsAtOnce) },
      ],
      rows,
    );
    terminal.line("\nDays start at midnight UTC. Baton counts only what has a limit.");
  } finally {
    await close();
  }
}

function usedBy(row: PeopleListRow, config: Config, day: readonly DaySpending[]): Used {
  const names = row.identities;
  const limits = limitsFor({ role: row.role ?? "guest", names }, config.limits);
  return { ...row, limits, ...spentToday(names, day) };
}

function ofLimit(used: string, limit: number): string {
  return limit === Number.POSITIVE_INFINITY ? "no limit" : `${used} of ${grouped(limit)}`;
}

function most(limit: number): string {
  return limit === Number.POSITIVE_INFINITY ? "no limit" : grouped(limit);
}

function asJson({ id, name, role, identities, modelCalls, mediaBytes, limits }: Used) {
  const finite = Object.entries(limits).map(([key, limit]) => [key, Number.isFinite(limit) ? limit : null]);
  return {
    id,
    name: name === null ? null : cleanLine(name),
    role,
    identities,
    today: { modelCalls, mediaBytes },
    limits: Object.fromEntries(finite),
  };
}
