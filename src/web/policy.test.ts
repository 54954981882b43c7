import { describe, expect, it } from "vitest";
import type { SessionId } from "../session/ids.js";
import { END_REASONS, type SessionEntry } from "../session/session.js";
import type { Explanation } from "../session/sessions.js";
import { policyOf } from "./policy.js";

const NOW = Date.UTC(2026, 10, 19, 12);
const HOUR = 3_600_000;
const entry = (more: Partial<SessionEntry> = {}): SessionEntry =>
  ({ key: "k", sessionId: "s" as SessionId, endedAt: null, endReason: null, ...more }) as SessionEntry;
const words = (of: SessionEntry, explained: Partial<Explanation> | null): Promise<string> => {
  const policy: Explanation["policy"] = { mode: "both", idleMinutes: 1_440, atHour: 4, notify: true };
  const all = { entry: of, policy, from: "default", timezone: "UTC", next: null, heldBy: [], ...explained };
  return policyOf(of, { explain: async () => (explained ? (all as Explanation) : null) }, NOW);
};

describe("when a conversation starts fresh", () => {
  it("is said in whole sentences", async () => {
    expect(await words(entry(), { next: { reason: "idle", at: NOW + HOUR }, heldBy: ["turn"] })).toBe(
      "It resets after a day without activity or every day at 04:00, whichever comes first; Baton says so in the chat. " +
        "The next reset is at Thu 19 Nov 2026 13:00, unless there is activity before. Right now a running turn delays it.",
    );
    expect(await words(entry(), { next: { reason: "daily", at: NOW - HOUR } })).toContain(
      "A daily reset has been due since Thu 19 Nov 2026 11:00.",
    );
  });

  it.each([...END_REASONS])("is said of one that is over (%s), without codes", async (endReason) => {
    const over = entry({ endedAt: NOW, endReason });
    const said = await words(over, {});
    expect(said).toMatch(/^This conversation .*ended.*\. The next message starts a new one\.$/);
    expect(said).not.toContain("(");
    // Another one is there now.
    expect(await words(over, { entry: entry({ sessionId: "t" as SessionId }) })).not.toContain(
      "next message",
    );
  });

  it("is said of one that is in no chat", async () => {
    expect(await words(entry(), null)).toBe("No chat continues this conversation now.");
  });
});
