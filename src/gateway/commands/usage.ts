/**
 * `/usage`: what the session and the person used, and what is left of their limits. In a group it shows only the session
 * and what the person used in it: the others read it too. It never shows what another person used.
 */
import type { SessionEntry } from "../../session/session.js";
import { bar } from "../../util/bar.js";
import { cleanLine, shorten } from "../../util/text.js";
import { compactNumber, counted, dollars, grouped } from "../../util/words.js";
import type { Who } from "../authorize.js";
import { NO_SESSION } from "../describe.js";
import { amount, type UsedLimit } from "../usage-limits.js";
import type { UsageReader, UsageSum } from "../usage-store.js";
import {
  costWords,
  lastDays,
  noUsage,
  together,
  unpricedModels,
  unpricedNote,
  usedWords,
} from "../usage-words.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command, CommandCall } from "./commands.js";

const DAYS = 7;
const BAR_WIDTH = 12;
const MOST_JOBS = 5;
/** Before every day. */
const EVER = "";

export function usage({ clock }: AgentInfo): Command {
  return {
    name: "usage",
    usage: "",
    description: "show what this session and you have used, and what is left of your limits",
    details: "In a group it shows only this session and what you used in it. Days start at midnight UTC.",
    async run(call) {
      const entry = await call.sessions.current(call.item.key);
      const isGroup = call.who.viewer.kind === "chat";
      const lines = [
        ...(await sessionLines(call, entry, isGroup)),
        ...(isGroup ? [] : await ownLines(call, clock())),
      ];
      const limits = await limitLines(call, entry, isGroup);
      const more = isGroup ? ["Send me /usage in private to see your days and your limits."] : [];
      return [...lines, ...limits, ...more].join("\n");
    },
  };
}

function readerOf({ identities }: Who): UsageReader {
  return { kind: "person", identities };
}

async function sessionLines(
  { gateway, who }: CommandCall,
  entry: SessionEntry | null,
  isGroup: boolean,
): Promise<string[]> {
  if (!entry) return [NO_SESSION];
  const range = { fromDay: EVER, sessionId: entry.sessionId };
  const byModel = await gateway.usage.sums(readerOf(who), "model", range);
  const cached =
    entry.cacheReadTokens + entry.cacheWriteTokens > 0
      ? `, cache read ${grouped(entry.cacheReadTokens)}, cache write ${grouped(entry.cacheWriteTokens)}`
      : "";
  const parts = `input ${grouped(entry.inputTokens)}, output ${grouped(entry.outputTokens)}${cached}`;
  const { unpricedCalls, modelCalls } = together(byModel);
  // In a group, the calls of others may have a cost that nobody knows.
  const isKnown = entry.cost > 0 || unpricedCalls > 0 || (modelCalls > 0 && !isGroup);
  const cost = isKnown ? costWords({ ...entry, unpricedCalls }) : "none reported";
  return [
    `This session: ${counted(entry.totalTokens, "token")} (${parts})`,
    `Cost: ${cost}`,
    ...unpricedNote(unpricedModels(byModel)),
    ...(isGroup ? [`You here: ${usedWords(together(byModel))}`] : []),
  ];
}

/** The person's days, and their jobs. */
async function ownLines(call: CommandCall, now: number): Promise<string[]> {
  const { gateway, who } = call;
  const days = lastDays(now, DAYS);
  const range = { fromDay: days[0] ?? EVER };
  const used = await gateway.usage.sums(readerOf(who), "day", range);
  if (used.length === 0) return [`You in the last ${DAYS} days: nothing`];
  const sums = days.map((day) => used.find(({ key }) => key === day) ?? noUsage(day));
  return [
    `You today: ${usedWords(sums.at(-1) ?? noUsage(""))}`,
    `You in the last ${DAYS} days: ${usedWords(together(sums))}`,
    "```",
    ...dayLines(sums),
    "```",
    ...(await jobLines(call, await gateway.usage.sums(readerOf(who), "job", range))),
  ];
}

function dayLines(sums: readonly UsageSum[]): string[] {
  const most = Math.max(...sums.map(({ totalTokens }) => totalTokens));
  return sums.map((sum) => {
    const drawn = bar(sum.totalTokens, most, BAR_WIDTH).padEnd(BAR_WIDTH);
    const figures =
      sum.modelCalls === 0 ? "" : `${compactNumber(sum.totalTokens).padStart(6)}  ${costWords(sum)}`;
    return `${sum.key}  ${drawn} ${figures}`.trimEnd();
  });
}

async function jobLines(call: CommandCall, byJob: readonly UsageSum[]): Promise<string[]> {
  const used = byJob.filter(({ key }) => key !== "");
  if (used.length === 0) return [];
  const { who, item, gateway } = call;
  const jobs = (await gateway.jobs?.list({ who, source: item.source })) ?? [];
  const lines = used.slice(0, MOST_JOBS).map((sum) => {
    const name = jobs.find(({ id }) => id === sum.key)?.name;
    const shown = name === undefined ? `${cleanLine(sum.key)} (removed)` : shorten(cleanLine(name), 60);
    return `- ${shown}: ${usedWords(sum)}`;
  });
  const left = used.length - lines.length;
  return ["Your jobs in these days:", ...lines, ...(left > 0 ? [`- and ${counted(left, "more job")}`] : [])];
}

async function limitLines(
  call: CommandCall,
  entry: SessionEntry | null,
  isGroup: boolean,
): Promise<string[]> {
  const { who, gateway } = call;
  const used = await gateway.allowance.usage.used({ allowed: true, ...who }, entry?.sessionId ?? null);
  const shown = used.filter(({ whose }) =>
    whose === "everyone" ? who.role === "owner" && !isGroup : whose === "session" || !isGroup,
  );
  return shown.length === 0 ? [] : ["Limits:", ...shown.map((limit) => `- ${limitWords(limit)}`)];
}

/** `you today: 1,200 tokens of 5,000 tokens, 3,800 left`. */
export function limitWords({ whose, unit, used, most }: UsedLimit): string {
  const whom = { everyone: "everybody today", person: "you today", session: "this session" }[whose];
  const left = Math.max(0, most - used);
  const rest = unit === "tokens" ? `${grouped(left)} left` : `${dollars(left)} left`;
  return `${whom}: ${amount(unit, used)} of ${amount(unit, most)}, ${rest}`;
}
