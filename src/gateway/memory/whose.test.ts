import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JOBS } from "../../schedule/job-source.js";
import { CHAT_TYPES, localSource, type SessionSource } from "../../session/source.js";
import { type Access, TERMINAL } from "../authorize.js";
import { ROLES } from "../permissions.js";
import { memoryAt, memoryOfTurn } from "./whose.js";

const dm = (userId: string): SessionSource => ({
  platform: "telegram",
  chatId: userId,
  chatType: "dm",
  userId,
});
const allowed = (...identities: string[]) =>
  ({ allowed: true, role: "member", identities, names: identities }) as unknown as Access & { allowed: true };
const ann = allowed("discord:7", "telegram:ann");
const owners = ["person:discord:7", "person:telegram:ann"];
const turn = { who: ann, source: dm("ann"), entry: { owner: owners[1] ?? "" }, scopes: {}, shared: false };

describe("the memory of a turn", () => {
  it("in private is the person's; new notes are of the account that they write with", () => {
    const reader = { kind: "person", owners, owner: "person:telegram:ann", mayChange: true };
    expect(memoryOfTurn(turn)).toEqual(reader);
    expect(memoryOfTurn({ ...turn, entry: { owner: "person:discord:7" } })).toEqual(reader);
  });

  it("at the terminal is that of the person there", () => {
    const at = { ...turn, who: allowed(TERMINAL, "telegram:ann"), source: localSource() };
    expect(memoryOfTurn({ ...at, entry: { owner: "chat:local:cli" } })).toMatchObject({
      owners: ["person:local:terminal", "person:telegram:ann"],
      owner: "person:local:terminal",
    });
    expect(memoryOfTurn({ ...at, entry: { owner: "chat:telegram:team" } })).toBeNull();
  });

  it("is nobody's if others took part, if it is of others, in others' private chats, in a job, and without access", () => {
    expect(memoryOfTurn({ ...turn, shared: true })).toBeNull();
    expect(memoryOfTurn({ ...turn, entry: { owner: "chat:telegram:team" } })).toBeNull();
    expect(memoryOfTurn({ ...turn, entry: { owner: "person:telegram:bob" } })).toBeNull();
    const bobs = { source: dm("bob"), entry: { owner: "person:telegram:bob" } };
    expect(memoryOfTurn({ ...turn, ...bobs })).toBeNull();
    expect(memoryAt(ann, dm("bob"))).toBeNull();
    const { userId: _, ...nobody } = dm("ann");
    expect(memoryAt(ann, nobody)).toBeNull();
    expect(memoryAt(ann, { platform: JOBS, chatId: "j", chatType: "dm" })).toBeNull();
    expect(memoryOfTurn({ ...turn, who: { allowed: false, reason: "" } })).toBeNull();
  });

  it("is never a person's where somebody else may read: whatever the place, the session and the scopes", () => {
    const id = fc.constantFrom("ann", "bob", "7", "team");
    const scope = fc.constantFrom("chat" as const, "member" as const);
    const given = fc.record({
      role: fc.constantFrom(...ROLES),
      identities: fc.uniqueArray(fc.constantFrom("telegram:ann", "telegram:bob", "discord:7"), {
        minLength: 1,
      }),
      source: fc.record({
        platform: fc.constantFrom("telegram", "discord", JOBS),
        chatType: fc.constantFrom(...CHAT_TYPES),
        chatId: id,
        userId: id,
      }),
      owner: fc.constantFrom(
        "person:telegram:ann",
        "person:telegram:bob",
        "chat:telegram:team",
        "person:discord:7",
      ),
      scopes: fc.record({ group: scope, thread: scope }),
      shared: fc.boolean(),
    });
    fc.assert(
      fc.property(given, ({ role, identities, source, owner, scopes, shared }) => {
        const who = { ...allowed(...identities), role };
        const reader = memoryOfTurn({ who, source, entry: { owner }, scopes, shared });
        if (!reader) return;
        expect(reader.owners).toContain(reader.owner);
        if (reader.kind === "chat") {
          expect(source.chatType).not.toBe("dm");
          expect(reader.owners).toEqual([`chat:${source.platform}:${source.chatId}`]);
          expect(reader.mayChange).toBe(role !== "guest");
          return;
        }
        expect([source.chatType, shared]).toEqual(["dm", false]);
        expect(reader.owners).toEqual(identities.map((identity) => `person:${identity}`));
        expect(reader.owner).toBe(`person:${source.platform}:${source.userId}`);
        expect(reader.owners).toContain(owner);
      }),
      { numRuns: 2_000 },
    );
  });
});
