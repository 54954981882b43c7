/**
 * GET /api/usage: what models used, by day, person, model or platform. Owners see everybody's, everybody else what is theirs. The
 * limits are this person's own; an owner also sees those of all people together.
 */
import { limitWords } from "../../gateway/commands/usage.js";
import { platformTitle } from "../../gateway/describe.js";
import type { UsageBy, UsageReader, UsageSum } from "../../gateway/usage-store.js";
import { lastDays, modelName, noUsage } from "../../gateway/usage-words.js";
import { cleanLine, shorten } from "../../util/text.js";
import { numberIn, RefusedCall, type WebAsking, wordIn } from "../asking.js";
import type { Routes } from "../routes.js";
import type { WebSetting } from "../setting.js";
import type { WireUsage } from "../wire.js";
import { byPerson, type NamedUsage } from "./usage-of-people.js";

type UsageSetting = { readonly gateway: Pick<WebSetting["gateway"], "usage" | "allowance" | "people"> };

const BY: readonly WireUsage["by"][] = ["day", "person", "model", "platform"];
const DAYS = 30;
const MOST_DAYS = 366;
/** Those with the most tokens come first. */
const MOST_ROWS = 100;
const LONGEST_NAME = 120;

export function usageRoutes(routes: Routes, { gateway }: UsageSetting): void {
  routes.get("/api/usage", async (asking): Promise<WireUsage> => {
    const by = wordIn(asking, "by", BY) ?? "day";
    if (by === "person" && !asking.isOwner)
      throw new RefusedCall(403, "owners_only", "Only owners can see what others use.");
    const range = daysOf(asking);
    const sums = (what: UsageBy) => gateway.usage.sums(readerFor(asking), what, { fromDay: range[0] ?? "" });
    const used = await sums("day");
    const days = range.map((day) => ({
      ...(used.find(({ key }) => key === day) ?? noUsage(day)),
      name: day,
    }));
    const rows = by === "day" ? days : (await rowsBy(by, sums, gateway.people)).slice(0, MOST_ROWS);
    return {
      by,
      rows: rows.map(wireRow),
      days: days.map(({ name, totalTokens, cost, unpricedCalls }) => ({
        ...{ day: name, tokens: totalTokens, cost, unpricedCalls },
      })),
      limits: await limitsOf(asking, gateway.allowance),
    };
  });
}

function readerFor({ isOwner, who }: WebAsking): UsageReader {
  return isOwner ? { kind: "owner" } : { kind: "person", identities: who.identities };
}

/** UTC, up to today. */
function daysOf(asking: WebAsking): string[] {
  const days = numberIn(asking, "days") ?? DAYS;
  return lastDays(asking.now, Math.max(1, Math.min(MOST_DAYS, days)));
}

async function rowsBy(
  by: Exclude<WireUsage["by"], "day">,
  sums: (by: UsageBy) => Promise<UsageSum[]>,
  people: WebSetting["gateway"]["people"],
): Promise<NamedUsage[]> {
  switch (by) {
    case "person":
      return byPerson(await sums("identity"), await people.store.list());
    case "model":
      return (await sums("model")).map((sum) => ({ ...sum, name: modelName(sum.key) }));
    case "platform":
      return (await sums("platform")).map((sum) => ({ ...sum, name: platformName(sum.key) }));
    default:
      return by satisfies never;
  }
}

/** Usage outlives its conversation. */
function platformName(key: string): string {
  return key === "" ? "deleted conversations" : platformTitle(key);
}

function wireRow(sum: NamedUsage): WireUsage["rows"][number] {
  const { name, totalTokens, cost, modelCalls, unpricedCalls } = sum;
  const shown = shorten(cleanLine(name), LONGEST_NAME);
  return { name: shown, tokens: totalTokens, cost, calls: modelCalls, unpricedCalls };
}

async function limitsOf(
  { who, isOwner }: WebAsking,
  allowance: WebSetting["gateway"]["allowance"],
): Promise<string | null> {
  const used = await allowance.usage.used({ allowed: true, ...who }, null);
  const shown = used.filter(({ whose }) => whose === "person" || isOwner);
  return shown.length === 0 ? null : shown.map(limitWords).join("; ");
}
