/** The one rule about whose processes somebody sees. */
import { describe, expect, it } from "vitest";
import { maySeeProcess } from "./rights.js";

const ANN = ["discord:ann", "slack:ann"];

describe("a process is seen", () => {
  const table: readonly (readonly [who: string | null, here: boolean, session: boolean, sees: boolean])[] = [
    ["discord:ann", true, true, true],
    ["discord:ann", true, false, true],
    ["discord:ann", false, true, true],
    ["slack:ann", false, true, true],
    // From a room, nothing of their private conversations.
    ["discord:ann", false, false, false],
    // In a conversation of several people, everybody has their own.
    ["discord:bob", true, true, false],
    ["discord:bob", true, false, false],
    ["discord:bob", false, true, false],
    ["discord:bob", false, false, false],
    ["discord:ann2", true, true, false],
    [null, true, true, false],
    [null, false, true, false],
  ];
  it.each(table)("started by %s, in this session: %s, in a session that is seen: %s → %s", (...row) => {
    const [starter, isInThisSession, isSessionSeen, sees] = row;
    expect(maySeeProcess({ starter, identities: ANN, isInThisSession, isSessionSeen })).toBe(sees);
  });

  it("by nobody who has no identity", () => {
    const sight = { starter: "discord:ann", identities: [], isInThisSession: true, isSessionSeen: true };
    expect(maySeeProcess(sight)).toBe(false);
  });
});
