/** The heartbeat: a job that looks around from time to time, and speaks only if something is worth it. Nobody has it by default. */
import type { JobWish } from "./wish.js";

export const HEARTBEAT = "heartbeat";
const EVERY = "every 1h";
/** It runs often, and mostly for nothing: so it may not use much. */
const DAILY_TOKENS = 20_000;

const PROMPT = [
  "Look around for the person you work for. What is open in your conversations: questions nobody answered, things that were promised, or that are due today?",
  "Did something end, fail or get stuck since your last look? Use your tools to find out; change nothing.",
  "If something is worth saying now, say it in a few lines, the most urgent first. Say nothing again that you said in an earlier run, unless it has changed.",
  "If nothing is worth saying, answer [SILENT] and nothing else.",
].join(" ");

export function heartbeatWish(schedule: string = EVERY): JobWish {
  return { name: HEARTBEAT, schedule, prompt: PROMPT, session: "own", dailyTokens: DAILY_TOKENS };
}
