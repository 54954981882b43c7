import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildSessionKey, isShared, parseSessionKey, type SessionScopes } from "./session-key.js";
import { localSource, parseSource, type SessionSource } from "./source.js";

const source = (fields: Record<string, unknown>): SessionSource => parseSource(fields);

describe("buildSessionKey", () => {
  const dm = source({ platform: "telegram", chat_id: 99 });
  const group = source({ platform: "discord", chat_id: "g", chat_type: "group", user_id: "alice" });
  const thread = source({
    platform: "discord",
    chat_id: "g",
    chat_type: "thread",
    thread_id: "t",
    user_id: "alice",
  });
  const whatsapp = (id: string) => source({ platform: "whatsapp", chat_id: id });

  const table: [string, SessionSource, SessionScopes, string][] = [
    ["the terminal", localSource(), {}, "agent:main:local:dm:cli"],
    ["a DM", dm, {}, "agent:main:telegram:dm:99"],
    ["a topic in a DM", { ...dm, threadId: "7" }, {}, "agent:main:telegram:dm:99:7"],
    ["one DM session a platform", dm, { dm: "platform" }, "agent:main:telegram:dm"],
    ["a shared group", group, {}, "agent:main:discord:group:g"],
    ["a group of members", group, { group: "member" }, "agent:main:discord:group:g:alice"],
    ["a shared thread", thread, {}, "agent:main:discord:thread:g:t"],
    ["a thread of members", thread, { thread: "member" }, "agent:main:discord:thread:g:t:alice"],
    [
      "ids with colons",
      source({ platform: "matrix", chat_id: "!r:ex.org", chat_type: "group" }),
      {},
      "agent:main:matrix:group:!r%3Aex.org",
    ],
    ["another agent", dm, { agent: "work" }, "agent:work:telegram:dm:99"],
    [
      "a phone with a device",
      whatsapp("15551234567:12@s.whatsapp.net"),
      {},
      "agent:main:whatsapp:dm:15551234567",
    ],
    ["a phone with a plus", whatsapp("+15551234567"), {}, "agent:main:whatsapp:dm:15551234567"],
    ["phones stay per chat", whatsapp("+1555"), { dm: "platform" }, "agent:main:whatsapp:dm:1555"],
    ["a forum topic", { ...group, threadId: "7" }, {}, "agent:main:discord:group:g:7"],
  ];
  it.each(table)("%s", (_, from, scopes, key) => {
    expect(buildSessionKey(from, scopes)).toBe(key);
  });

  it("keeps a second id of the user as the participant", () => {
    const both = { ...group, userIdAlt: "uuid-1" };
    expect(buildSessionKey(both, { group: "member" })).toBe("agent:main:discord:group:g:uuid-1");
  });

  it("is case-sensitive", () => {
    expect(buildSessionKey({ ...dm, chatId: "A" })).not.toBe(buildSessionKey({ ...dm, chatId: "a" }));
  });

  it("folds the spellings of a WhatsApp number, but not another id space or a group", () => {
    const keys = [
      "15551234567@s.whatsapp.net",
      "15551234567@c.us",
      "15551234567:3@s.whatsapp.net",
      "15551234567",
    ];
    expect(new Set(keys.map((id) => buildSessionKey(whatsapp(id)))).size).toBe(1);
    expect(buildSessionKey(whatsapp("15551234567@lid"))).not.toBe(buildSessionKey(whatsapp("15551234567")));
    const team = source({ platform: "whatsapp", chat_id: "1203630@g.us", chat_type: "group" });
    expect(buildSessionKey(team)).toBe("agent:main:whatsapp:group:1203630@g.us");
  });

  it("keeps topic 7 apart from member 7, and a platform's topic apart from a chat", () => {
    const scopes = { group: "member" } as const;
    const member = { ...group, userId: "7" };
    const topic = { ...group, threadId: "7" };
    expect(buildSessionKey(member, scopes)).not.toBe(buildSessionKey(topic, scopes));
    const seven = { ...dm, chatId: "7" };
    expect(buildSessionKey({ ...dm, threadId: "7" }, { dm: "platform" })).not.toBe(buildSessionKey(seven));
  });

  it.each([
    ["missing_user_id", { ...group, userId: undefined } as SessionSource, { group: "member" } as const],
    ["missing_thread_id", { ...thread, threadId: undefined } as SessionSource, {}],
    ["missing_chat_id", { ...dm, chatId: "" }, {}],
    ["unknown_platform", { ...dm, platform: "icq" }, {}],
    ["unknown_platform", { ...dm, platform: "__proto__" }, {}],
  ])("refuses with %s", (code, from, scopes) => {
    expect(() => buildSessionKey(from, scopes)).toThrow(expect.objectContaining({ code }));
  });
});

describe("the codec", () => {
  const hostile = fc.oneof(
    fc.string({ minLength: 1, unit: "binary" }),
    fc.string({
      minLength: 1,
      maxLength: 4,
      unit: fc.constantFrom(":", "%", "3", "A", "\0", "\n", "\ud800", "\udc00", "u", "é"),
    }),
    fc.constantFrom("%3A", "%25", "%u0041", "__proto__", "7", "alice", " "),
  );
  const anySource: fc.Arbitrary<SessionSource> = fc
    .record({
      platform: fc.constantFrom("telegram", "discord", "matrix", "signal"),
      chatType: fc.constantFrom("dm", "group", "channel", "thread" as const),
      chatId: hostile,
      userId: hostile,
      userIdAlt: fc.option(hostile, { nil: undefined }),
      threadId: fc.option(hostile, { nil: undefined }),
    })
    .map(
      (fields) =>
        (fields.chatType === "thread"
          ? { ...fields, threadId: fields.threadId ?? "t" }
          : fields) as SessionSource,
    );
  const anyScopes: fc.Arbitrary<SessionScopes> = fc.record({
    dm: fc.constantFrom("chat", "platform" as const),
    group: fc.constantFrom("chat", "member" as const),
    thread: fc.constantFrom("chat", "member" as const),
  });

  /** What must be equal for two sources to share a session, said another way than the code says it. */
  const identity = (from: SessionSource, scopes: SessionScopes): string => {
    const inThread = from.threadId !== undefined;
    const own = from.chatType !== "dm" && (inThread ? scopes.thread : scopes.group) === "member";
    const wholePlatform = from.chatType === "dm" && scopes.dm === "platform";
    return JSON.stringify([
      from.platform,
      from.chatType,
      wholePlatform ? null : from.chatId,
      from.threadId ?? null,
      own ? from.userIdAlt || from.userId : null,
    ]);
  };

  it("gives two sources one key exactly when they share a session", () => {
    fc.assert(
      fc.property(anySource, anySource, anyScopes, (a, b, scopes) => {
        const same = buildSessionKey(a, scopes) === buildSessionKey(b, scopes);
        expect(same).toBe(identity(a, scopes) === identity(b, scopes));
      }),
      { numRuns: 3_000 },
    );
  });

  it("gives near-equal sources different keys", () => {
    const few = fc.constantFrom("7", "a", "a:b", "a%3Ab", "%", "\ud800", "\udfff", "\ufffd", "");
    const near = fc.record({ chatId: few.filter(Boolean), userId: few.filter(Boolean), threadId: few });
    fc.assert(
      fc.property(near, near, anyScopes, (a, b, scopes) => {
        const full = (fields: typeof a) => source({ platform: "telegram", chatType: "group", ...fields });
        const same = buildSessionKey(full(a), scopes) === buildSessionKey(full(b), scopes);
        expect(same).toBe(identity(full(a), scopes) === identity(full(b), scopes));
      }),
      { numRuns: 3_000 },
    );
  });

  it("round-trips every part", () => {
    fc.assert(
      fc.property(anySource, anyScopes, (from, scopes) => {
        const key = buildSessionKey(from, scopes);
        const parsed = parseSessionKey(key);
        expect(parsed).toMatchObject({ agent: "main", platform: from.platform, chatType: from.chatType });
        const expected = JSON.parse(identity(from, scopes))
          .slice(2)
          .filter((part: string | null) => part !== null);
        expect(parsed.parts.filter((part) => part !== "")).toEqual(expected);
        expect(key.isWellFormed()).toBe(true);
        expect(key).not.toMatch(/[\0-\x1f]/);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    "",
    "agent",
    "agent:main",
    "agent:main:icq:dm:1",
    "agent:main:telegram:nope:1",
    "agent:main:telegram:dm:%zz",
    "agent:main:telegram:dm:%3a",
    "agent:main:telegram:dm:a:b:c:d",
    "x:main:telegram:dm:1",
  ])("refuses %j", (text) => {
    expect(() => parseSessionKey(text)).toThrow(expect.objectContaining({ code: "invalid_session_key" }));
  });
});

describe("isShared", () => {
  it("is true where everyone in the chat has one session", () => {
    const group = source({ platform: "slack", chat_id: "C", chat_type: "channel", user_id: "U" });
    expect(isShared(group)).toBe(true);
    expect(isShared(group, { group: "member" })).toBe(false);
    expect(isShared({ ...group, threadId: "1" }, { group: "member" })).toBe(true);
    expect(isShared(source({ platform: "slack", chat_id: "D" }))).toBe(false);
  });
});
