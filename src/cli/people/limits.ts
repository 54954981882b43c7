/** `baton people limits`: the limits of each person, and how much of today's they have used. */
import type { Config } from "../../config/config.js";
import { TERMINAL } from "../../gateway/authorize.js";
import {
  dayOf,
  everyonesLimits,
  isLimit,
  type Limits,
  limitsFor,
  MEGABYTE,
  spentToday,
} from "../../gateway/limits.js";
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
    const others = await everybody(people);
    const rows = [...atThisMachine(others, config), ...others].map((row) => usedBy(row, config, day));
    const everyone = { used: together(day), limits: everyonesLimits(config.limits) };
    if (options.json)
      return terminal.json({
        people: rows.map(asJson),
        everyone: { today: everyone.used, limits: finite(everyone.limits) },
      });
    const shared = everyoneLine(everyone);
    if (rows.length === 0) {
      terminal.line(NOBODY);
      if (shared !== null) terminal.line(shared);
      return;
    }
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
    if (shared !== null) terminal.line(`\n${shared}`);
    terminal.line("\nDays start at midnight UTC. Run `baton usage` to see what was used before.");
  } finally {
    await close();
  }
}

/** The person at this machine, if they have a limit and are not among the others with a linked account. */
function atThisMachine(others: readonly PeopleListRow[], { limits }: Config): PeopleListRow[] {
  const own = limitsFor({ role: "owner", names: [TERMINAL] }, limits);
  const isListed = others.some(({ identities }) => identities.includes(TERMINAL));
  if (isListed || !Object.values(own).some(isLimit)) return [];
  return [{ id: null, name: "this machine's terminal", role: "owner", identities: [TERMINAL] }];
}

interface EveryonesUse {
  readonly used: Pick<DaySpending, "tokens" | "cost">;
  readonly limits: ReturnType<typeof everyonesLimits>;
}

/** Null if all people together have no limit. */
function everyoneLine({ used, limits: { tokensPerDay, costPerDay } }: EveryonesUse): string | null {
  const parts = [
    ...(isLimit(tokensPerDay) ? [`${grouped(used.tokens)} of ${grouped(tokensPerDay)} tokens`] : []),
    ...(isLimit(costPerDay) ? [`${dollars(used.cost)} of ${dollars(costPerDay)}`] : []),
  ];
  return parts.length === 0 ? null : `All people together today: ${parts.join(", ")}.`;
}

function together(day: readonly DaySpending[]): EveryonesUse["used"] {
  const { tokens, cost } = spentToday(
    day.map(({ identity }) => identity),
    day,
  );
  return { tokens, cost };
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
  return {
    id,
    name: name === null ? null : cleanLine(name),
    role,
    identities,
    today: { modelCalls, mediaBytes, tokens, cost },
    limits: finite(limits),
  };
}

/** JSON has no infinity: no limit is null. */
function finite(limits: Partial<Limits>): Readonly<Record<string, number | null>> {
  const entries = Object.entries(limits).map(([key, limit]) => [key, isLimit(limit) ? limit : null]);
  return Object.fromEntries(entries);
}
