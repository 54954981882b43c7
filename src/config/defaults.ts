/** What holds where nothing is set. Known without any parser: a run without config files loads none. */
import { join } from "node:path";
import { DEFAULT_RESET_POLICY } from "../session/reset-policy.js";
import { DEFAULT_WINDOW } from "../session/transcript.js";

/** What a message does that arrives during a turn. */
export const BUSY_MODES = ["interrupt", "queue", "steer"] as const;
export type BusyMode = (typeof BUSY_MODES)[number];

export const DEFAULTS = {
  scopes: { agent: "main", dm: "chat", group: "chat", thread: "chat" },
  reset: DEFAULT_RESET_POLICY,
  agent: { turnDeadlineSeconds: 600, maxMessages: DEFAULT_WINDOW },
  busy: "interrupt",
  tools: { terminal: { maxTimeoutSeconds: 600 } },
} as const;

export function defaultStore(home: string): string {
  return join(home, "baton.db");
}

export function defaultOutputDir(home: string): string {
  return join(home, "cron", "output");
}
