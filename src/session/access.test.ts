import { describe, expect, it } from "vitest";
import {
  type Belonging,
  belongingOf,
  checkViewer,
  identityOf,
  mayAccess,
  OWNER,
  type SessionBelonging,
  type Viewer,
  viewerOf,
} from "./access.js";
import { localSource, parseSource } from "./source.js";

const dmOf = (user: string, fields = {}) =>
  parseSource({ platform: "telegram", chat_id: user, user_id: user, ...fields });
const inGroup = (user: string, fields = {}) =>
  parseSource({ platform: "telegram", chat_id: "-1", chat_type: "group", user_id: user, ...fields });

describe("whose session it is", () => {
  it("is the person's in a DM and in a member scope, the chat's where it is shared", () => {
    expect(belongingOf(dmOf("7"))).toEqual({ owner: "person:telegram:7", chat: "telegram:7" });
    expect(belongingOf(inGroup("7"))).toEqual({ owner: "chat:telegram:-1", chat: "telegram:-1" });
    expect(belongingOf(inGroup("7"), { group: "member" })).toEqual({
      owner: "person:telegram:7",
      chat: "telegram:-1",
    });
    expect(belongingOf(localSource())).toEqual({ owner: "chat:local:cli", chat: "local:cli" });
  });

  it("knows a person by an immutable id, never by a name", () => {
    expect(identityOf(dmOf("7", { user_name: "Ann" }))).toBe(identityOf(dmOf("7", { user_name: "Bob" })));
    expect(identityOf(dmOf("7", { user_id_alt: "uuid" }))).toBe("telegram:uuid");
    expect(identityOf(parseSource({ platform: "telegram", chat_id: "7", user_name: "Ann" }))).toBeNull();
  });

  it("keeps ids apart that would read alike", () => {
    const a = parseSource({ platform: "matrix", chat_id: "x", user_id: "a:b" });
    const b = parseSource({ platform: "matrix", chat_id: "x", user_id: "a%3Ab" });
    expect(identityOf(a)).not.toBe(identityOf(b));
  });
});

describe("mayAccess", () => {
  const unmoved = (belonging: Belonging): SessionBelonging => ({ ...belonging, laneOwner: belonging.owner });
  const annsDm = unmoved(belongingOf(dmOf("ann")));
  const annsInGroup = unmoved(belongingOf(inGroup("ann"), { group: "member" }));
  const shared = unmoved(belongingOf(inGroup("ann")));

  it("lets the owner see everything", () => {
    for (const session of [annsDm, annsInGroup, shared]) expect(mayAccess(OWNER, session)).toBe(true);
  });

  it("lets a person in private see all that is theirs and nothing else", () => {
    const ann = viewerOf(dmOf("ann"));
    expect([annsDm, annsInGroup, shared].map((session) => mayAccess(ann, session))).toEqual([
      true,
      true,
      false,
    ]);
    expect([annsDm, annsInGroup, shared].some((session) => mayAccess(viewerOf(dmOf("bob")), session))).toBe(
      false,
    );
  });

  it("shows nothing private of other chats inside a group", () => {
    const ann = viewerOf(inGroup("ann"));
    expect([annsDm, annsInGroup, shared].map((session) => mayAccess(ann, session))).toEqual([
      false,
      true,
      true,
    ]);
    expect(
      [annsDm, annsInGroup, shared].map((session) => mayAccess(viewerOf(inGroup("bob")), session)),
    ).toEqual([false, false, true]);
  });

  it("lets those see a session in whose lane it is, and its owner wherever it is", () => {
    const moved = { ...belongingOf(dmOf("ann")), laneOwner: "chat:telegram:-1", chat: "telegram:-1" };
    const viewers = [dmOf("ann"), inGroup("bob"), dmOf("bob"), { ...inGroup("bob"), chatId: "-2" }].map(
      viewerOf,
    );
    expect(viewers.map((viewer) => mayAccess(viewer, moved))).toEqual([true, true, false, false]);
  });

  it("denies by default", () => {
    expect(mayAccess({ kind: "person", identities: [] }, annsDm)).toBe(false);
    expect(mayAccess({ kind: "chat", chat: "telegram:-1" }, annsInGroup)).toBe(false);
  });
});

describe("checkViewer", () => {
  it.each([undefined, null, {}, { kind: "admin" }, { kind: "person" }, { kind: "chat", chat: "" }])(
    "refuses %j",
    (viewer) => {
      expect(() => checkViewer(viewer as unknown as Viewer)).toThrow(
        expect.objectContaining({ code: "viewer_required" }),
      );
    },
  );
});
