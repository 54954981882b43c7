/** What each role has if no setting says otherwise: how much it may ask for, and its tools. Apart, for programs without settings. */

/** The limits of what model calls use. */
export type UsageLimitName = "tokensPerDay" | "costPerDay" | "tokensPerSession" | "costPerSession";

export type LimitName =
  | "messagesPerMinute"
  | "turnsAtOnce"
  | "modelCallsPerDay"
  | "mediaMegabytesPerDay"
  | UsageLimitName;

/** What is absent is as the role has it. */
export type WrittenLimits = Readonly<Partial<Record<LimitName, number | "none">>>;

export type RoleLimits = Readonly<Record<LimitName, number | "none">>;

/** What all people together may use. */
export type EveryonesLimits = Readonly<Partial<Record<"tokensPerDay" | "costPerDay", number | "none">>>;

const NO_USAGE_LIMITS: Readonly<Record<UsageLimitName, "none">> = {
  tokensPerDay: "none",
  costPerDay: "none",
  tokensPerSession: "none",
  costPerSession: "none",
};

/** What holds for each role if nobody sets it. */
export const LIMITS: Readonly<Record<"guests" | "members" | "owners", RoleLimits>> = {
  guests: {
    messagesPerMinute: 20,
    turnsAtOnce: 2,
    modelCallsPerDay: 200,
    mediaMegabytesPerDay: 50,
    ...NO_USAGE_LIMITS,
  },
  members: {
    messagesPerMinute: 60,
    turnsAtOnce: 4,
    modelCallsPerDay: 2_000,
    mediaMegabytesPerDay: 500,
    ...NO_USAGE_LIMITS,
  },
  owners: {
    messagesPerMinute: "none",
    turnsAtOnce: "none",
    modelCallsPerDay: "none",
    mediaMegabytesPerDay: "none",
    ...NO_USAGE_LIMITS,
  },
};

/** Nothing that touches files, runs commands or writes to others. */
export const GUEST_TOOLS: readonly string[] = ["fetch_url", "session_search", "session_read"];

/** Members have no others unless somebody says so: with files or a shell one has the machine. */
export const MEMBER_TOOLS: readonly string[] = [
  ...GUEST_TOOLS,
  "send_message",
  "send_voice",
  "schedule",
  "memory",
];
