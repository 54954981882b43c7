/** What holds where nothing is set. Known without any parser: a run without config files loads none. */
import { join } from "node:path";
import { DEFAULT_RESET_POLICY } from "../session/reset-policy.js";
import { DEFAULT_WINDOW } from "../session/transcript.js";

/** What a message does that arrives during a turn. */
export const BUSY_MODES = ["interrupt", "queue", "steer"] as const;
export type BusyMode = (typeof BUSY_MODES)[number];

/** Who offers models; `offline` is the agent that needs none. */
export const PROVIDERS = [
  "anthropic",
  "openai",
  "openrouter",
  "ollama",
  "openai-compatible",
  "offline",
] as const;
export type Provider = (typeof PROVIDERS)[number];

/** How much somebody may ask for; what is absent is as built in. */
export type LimitName = "messagesPerMinute" | "turnsAtOnce" | "modelCallsPerDay" | "mediaMegabytesPerDay";
export type WrittenLimits = Readonly<Partial<Record<LimitName, number | "none">>>;

/** Whether commands run in a sandbox: if there is one, always or never. */
export const SANDBOX_MODES = ["auto", "required", "off"] as const;
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** Nothing that touches files, runs commands or writes to others. */
const GUEST_TOOLS = ["fetch_url", "session_search", "session_read"] as const;

export const DEFAULTS = {
  scopes: { agent: "main", dm: "chat", group: "chat", thread: "chat" },
  reset: DEFAULT_RESET_POLICY,
  agent: {
    turnDeadlineSeconds: 600,
    maxMessages: DEFAULT_WINDOW,
    maxSteps: 50,
    firstWordSeconds: 60,
    maxSends: 20,
    images: true,
  },
  busy: "interrupt",
  handoff: { waitSeconds: 60 },
  pairing: "on",
  limits: {
    guests: { messagesPerMinute: 20, turnsAtOnce: 2, modelCallsPerDay: 200, mediaMegabytesPerDay: 50 },
    members: { messagesPerMinute: 60, turnsAtOnce: 4, modelCallsPerDay: 2_000, mediaMegabytesPerDay: 500 },
    owners: {
      messagesPerMinute: "none",
      turnsAtOnce: "none",
      modelCallsPerDay: "none",
      mediaMegabytesPerDay: "none",
    },
  },
  mcp: { timeoutSeconds: 60 },
  tools: {
    guests: GUEST_TOOLS,
    /** Beside these nothing is a member's unless it is configured: whoever has files or a shell has the machine. */
    members: [...GUEST_TOOLS, "send_message"] as const,
    terminal: { maxTimeoutSeconds: 600, sandbox: "auto", network: "on" },
  },
} as const;

export function defaultStore(home: string): string {
  return join(home, "baton.db");
}

export function defaultOutputDir(home: string): string {
  return join(home, "cron", "output");
}
