import { describe, expect, it } from "vitest";
import { OWNER } from "../session/access.js";
import { localSource, parseSource } from "../session/source.js";
import { authorize, listedRoles, seenFrom, TERMINAL } from "./authorize.js";
import { peopleIn } from "./group-rules.js";
import type { Person } from "./people-store.js";
import type { Role } from "./permissions.js";

const from = (platform: string, user_id: string, more = {}) =>
  parseSource({ platform, chat_id: "c", user_id, user_name: "Ann", ...more });

const person = (...identities: [string, Role | null][]): Person => ({
  id: "p",
  name: "Ann",
  createdAt: 0,
  identities: identities.map(([identity, role]) => ({ identity, role })),
});

describe("the gate", () => {
  const listed = listedRoles({
    allow: { telegram: ["99"], whatsapp: ["+15551234567"], signal: ["uuid-1"], slack: [] },
    owners: { telegram: ["1", "99"] },
    guests: { telegram: ["2", "99"], whatsapp: ["15551234567"] },
  });

  it.each<[Role | null, string, ReturnType<typeof from>]>([
    ["owner", "whoever sits at the machine", localSource()],
    ["owner", "an exact id, with the most that is said of it", from("telegram", "99")],
    ["owner", "an owner", from("telegram", "1")],
    ["guest", "a guest", from("telegram", "2")],
    ["member", "another spelling of the same number", from("whatsapp", "15551234567:3@s.whatsapp.net")],
    ["member", "the second id of a user", from("signal", "+49123", { user_id_alt: "uuid-1" })],
    ["member", "the first id of a user with two", from("signal", "uuid-1", { user_id_alt: "uuid-2" })],
    [null, "a part of an id", from("telegram", "9")],
    [null, "an id with something behind it", from("telegram", "99 ")],
    [null, "the id of another platform", from("discord", "99")],
    [null, "a name", from("telegram", "3", { user_name: "99" })],
    [null, "a chat's id", parseSource({ platform: "telegram", chat_id: "99" })],
    [null, "anybody where the list is empty", from("slack", "U1")],
    [null, "a bot", from("telegram", "99", { is_bot: true })],
  ])("%s: %s", (role, _, source) => {
    const access = authorize(source, listed, null);
    expect(access.allowed ? access.role : null).toBe(role);
  });

  describe("a group with a list of people", () => {
    const group = new Set(["telegram:99", "telegram:5", "signal:uuid-1"]);
    const inGroup = { chat_type: "group" };

    it.each<[Role | null, true | undefined, string, ReturnType<typeof from>]>([
      ["owner", undefined, "keeps the role of somebody who has access", from("telegram", "99", inGroup)],
      ["guest", true, "lets somebody in as a guest who has none", from("telegram", "5", inGroup)],
      [
        "member",
        undefined,
        "knows somebody by the second of two ids",
        from("signal", "+49", { ...inGroup, user_id_alt: "uuid-1" }),
      ],
      ["guest", true, "and by the first", from("signal", "uuid-1", { ...inGroup, user_id_alt: "uuid-2" })],
      [null, undefined, "keeps out everybody else, an owner too", from("telegram", "1", inGroup)],
      [null, undefined, "keeps out the same id of another platform", from("discord", "5", inGroup)],
      [null, undefined, "keeps out a bot", from("telegram", "5", { ...inGroup, is_bot: true })],
    ])("%s %s: it %s", (role, isOnlyHere, _, source) => {
      const listedHere = source.userIdAlt === "uuid-2" ? listedRoles({}) : listed;
      const access = authorize(source, listedHere, null, group);
      expect(access.allowed ? [access.role, access.isOnlyHere] : [null, undefined]).toEqual([
        role,
        isOnlyHere,
      ]);
      if (access.allowed) expect(access.viewer.kind).toBe("chat");
    });

    it("names accounts: a linked one is not on it", () => {
      const linked = person(["telegram:6", "member"], ["telegram:5", null]);
      expect(authorize(from("telegram", "6", inGroup), listed, linked, group).allowed).toBe(false);
    });

    it("with nobody on it keeps everybody out", () => {
      expect(authorize(from("telegram", "1", inGroup), listed, null, new Set()).allowed).toBe(false);
    });
  });

  it("knows nobody by the names that every object has", () => {
    expect(authorize(from("telegram", "x"), listedRoles({}), null).allowed).toBe(false);
    const few = listedRoles({ allow: { telegram: ["99"] } });
    expect(authorize(from("telegram", "constructor"), few, null).allowed).toBe(false);
  });

  it("gives a person the most that any of their identities has", () => {
    const role = (known: Person) => {
      const access = authorize(from("discord", "7"), listed, known);
      return access.allowed ? access.role : null;
    };
    expect(role(person(["discord:7", null]))).toBeNull();
    expect(role(person(["discord:7", "guest"]))).toBe("guest");
    expect(role(person(["discord:7", "guest"], ["slack:8", "member"]))).toBe("member");
    expect(role(person(["discord:7", null], ["telegram:1", null]))).toBe("owner");
    expect(role(person(["discord:7", null], [TERMINAL, null]))).toBe("owner");
  });

  it("shows a person all that is theirs in private, and in a chat what is of the chat", () => {
    const viewer = (more: object, ...identities: [string, Role | null][]) => {
      const access = authorize(
        from("discord", "7", more),
        listed,
        person(["discord:7", "owner"], ...identities),
      );
      return access.allowed ? access.viewer : null;
    };
    expect(viewer({}, ["slack:8", null])).toEqual({ kind: "person", identities: ["discord:7", "slack:8"] });
    expect(viewer({ chat_type: "group" }, ["slack:8", null])).toEqual({
      kind: "chat",
      chat: "discord:c",
      identity: "discord:7",
    });
    expect(viewer({}, [TERMINAL, null])).toEqual(OWNER);
    expect(viewer({ chat_type: "group" }, [TERMINAL, null])?.kind).toBe("chat");
  });
});

describe("somebody in another place than they wrote from", () => {
  const terminal = authorize(localSource(), listedRoles({}), null);

  it("sees from a group only what is that group's, and in private what is theirs", () => {
    if (!terminal.allowed) throw new Error("The terminal is not let in.");
    const group = parseSource({ platform: "telegram", chat_id: "g", chat_type: "group" });
    expect(seenFrom(terminal, group)).toMatchObject({
      role: "owner",
      source: group,
      viewer: { kind: "chat", chat: "telegram:g" },
    });
    const linked = { ...terminal, identities: [...terminal.identities, "telegram:1"] };
    expect(seenFrom(linked, from("telegram", "1")).viewer).toEqual(OWNER);
    const member = { ...terminal, identities: ["slack:U1", "telegram:1"] };
    expect(seenFrom(member, from("telegram", "1")).viewer).toEqual({
      kind: "person",
      identities: ["slack:U1", "telegram:1"],
    });
  });

  it("shows nothing of their own in the private chat of somebody else", () => {
    if (!terminal.allowed) throw new Error("The terminal is not let in.");
    for (const who of [terminal, { ...terminal, identities: ["slack:U1"] }])
      expect(seenFrom(who, from("telegram", "1")).viewer).toEqual({ kind: "chat", chat: "telegram:c" });
  });
});

it("the list of a group counts by the id that the platform gave it later, too", () => {
  const source = {
    platform: "telegram",
    chatId: "-5",
    chatIdAlt: "-1005",
    chatType: "group",
    userId: "1",
  } as const;
  const listed = (chat: string) => peopleIn({ [chat]: { people: ["2"] } }, source);
  expect([listed("telegram:-5"), listed("telegram:-1005")]).toEqual([
    new Set(["telegram:2"]),
    new Set(["telegram:2"]),
  ]);
  expect(listed("telegram:-1006")).toBeNull();
});
