/** `/status` shows the current session in a few lines. It only reads, and waits for nothing. */
import type { McpState } from "../../agent/mcp/server.js";
import type { ResetPolicy } from "../../session/reset-policy.js";
import type { SessionKey } from "../../session/session-key.js";
import type { Explanation } from "../../session/sessions.js";
import { cleanLine } from "../../util/text.js";
import { compactNumber, counted, relativeTime } from "../../util/words.js";
import type { Who } from "../authorize.js";
import { endedNote, NO_SESSION, nameOf } from "../describe.js";
import { reasonWords } from "../failed-answer.js";
import { sessionModel } from "../session-model.js";
import type { InboxItem } from "../store.js";
import type { AgentInfo } from "./agent-info.js";
import type { Command, CommandCall, GatewayForCommands } from "./commands.js";
import { jobLines } from "./cron.js";
import { runningLine } from "./processes.js";

/** How long `/status` mentions a message that may not have arrived, or could not be sent. */
const DOUBT_MS = 7 * 86_400_000;

export function status({ agent, clock, mcp }: AgentInfo): Command {
  return {
    name: "status",
    usage: "",
    description: "show the session, the agent and what is running",
    async run(call) {
      const { item, gateway, sessions } = call;
      const explanation = await sessions.explain(item.key);
      const now = clock();
      const { model = agent } = explanation ? sessionModel(explanation.entry) : {};
      const isSummedUp = explanation && gateway.upkeep?.consolidator.isAskedFor(explanation.entry.sessionId);
      const summing = isSummedUp ? "; summing up the session (stop it with /stop)" : "";
      const working = `Agent: ${cleanLine(model)}, ${await activity(call, now)}${summing}.`;
      const more = [
        ...(await runningLine(call)),
        ...(await jobLines(call, now)),
        ...(await doubtLine(gateway, item, now)),
        ...(await failedLine(call, now)),
        ...(mcp?.() ?? []).map((state) => serverLine(state, now)),
      ];
      if (!explanation) return [NO_SESSION, working, ...more].join("\n");
      const { entry } = explanation;
      const id = `\`${cleanLine(entry.sessionId)}\``;
      const older = entry.summary ? ", the older ones summed up" : "";
      const size = `${counted(entry.messageCount, "message")}${older}; ${compactNumber(entry.totalTokens)} tokens used`;
      return [
        `Session: ${entry.title === null ? `${id}, without a title` : `${nameOf(entry)} (${id})`}`,
        `Size: ${size}`,
        working,
        `Reset: ${resetLine(explanation, now)}.${endedNote(entry)}`,
        ...more,
      ].join("\n");
    },
  };
}

/** Messages that may not have arrived here lately. */
async function doubtLine(gateway: GatewayForCommands, item: InboxItem, now: number): Promise<string[]> {
  const { count, last } = await gateway.doubtful(item, now - DOUBT_MS);
  if (count === 0) return [];
  return [
    `Delivery: ${counted(count, "message")} may not have arrived here, the last ${relativeTime(last, now)}.`,
  ];
}

/** Messages that could not be sent lately: here, and for an owner in private anywhere, with the last one's place and reason. */
async function failedLine({ gateway, item, who }: CommandCall, now: number): Promise<string[]> {
  const isForOwner = who.role === "owner" && item.source.chatType === "dm";
  const { count, last } = await gateway.undelivered(item, isForOwner ? "anywhere" : "here", now - DOUBT_MS);
  if (!last) return [];
  const where = isForOwner ? "" : " here";
  const place = isForOwner ? ` to ${cleanLine(last.to)}` : "";
  const reason = reasonWords(last.error);
  return [
    `Delivery: ${counted(count, "message")} could not be delivered${where}, the last${place} ${relativeTime(last.at, now)}: ${reason}.`,
  ];
}

async function activity({ gateway, item: { key }, who }: CommandCall, now: number): Promise<string> {
  const { run, waiting } = gateway.lane(key);
  const present = run
    ? `${doing(gateway, key, who)}, started ${relativeTime(run.startedAt, now)} (stop it with /stop)`
    : await elsewhere(gateway, key);
  return waiting === 0 ? present : `${present}; ${counted(waiting, "message")} waiting`;
}

/** A turn that asked something waits, for this person or for another one. */
function doing({ approvals }: GatewayForCommands, key: SessionKey, who: Who): string {
  if (!approvals.isWaiting(key)) return "working on an answer";
  const open = approvals.openTo(key, who);
  if (open.length === 0) return "waiting for somebody else to allow something";
  return `waiting for you (${open.map(({ number }) => `yes ${number} or no ${number}`).join(", ")})`;
}

async function elsewhere(gateway: GatewayForCommands, key: SessionKey): Promise<string> {
  const running = await gateway.running(key);
  if (!running) return "idle";
  const where = running.lease.holder === gateway.holder ? "" : " in another process";
  return `working on an answer${where} (stop it with /stop)`;
}

function without(missing: readonly string[]): string {
  return missing.length === 0 ? "" : `; it has no tool ${missing.map((name) => cleanLine(name)).join(", ")}`;
}

function serverLine(state: McpState, now: number): string {
  const name = `MCP server ${cleanLine(state.server)}:`;
  switch (state.kind) {
    case "connecting":
      return `${name} connecting.`;
    case "ready":
      return `${name} ready, ${counted(state.tools, "tool")}${without(state.missing)}.`;
    case "failed":
      return `${name} failed, ${cleanLine(state.reason)}; next try ${relativeTime(state.nextTryAt, now)}.`;
    default:
      return state satisfies never;
  }
}

function resetLine({ entry, policy, next, heldBy }: Explanation, now: number): string {
  const rule = ruleWords(policy);
  if (next === null || entry.endedAt !== null) return rule;
  if (next.at >= now) return `${rule}; next ${relativeTime(next.at, now)}`;
  const held = heldBy.length > 0 ? `, delayed by a ${heldBy.join(" and a ")}` : "";
  return `${rule}; due with the next message${held}`;
}

function ruleWords({ mode, idleMinutes, atHour }: ResetPolicy): string {
  const idle = `after ${quietTime(idleMinutes)} without messages`;
  const daily = `every day at ${String(atHour).padStart(2, "0")}:00`;
  switch (mode) {
    case "none":
      return "never automatically";
    case "idle":
      return idle;
    case "daily":
      return daily;
    case "both":
      return `${idle} and ${daily}`;
    default:
      return mode satisfies never;
  }
}

function quietTime(minutes: number): string {
  return minutes % 60 === 0 ? counted(minutes / 60, "hour") : counted(minutes, "minute");
}
