import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identityNamed } from "../session/access.js";
import { atLeast, highest, mayAllThat, mayTouch, ROLES, toolsFor } from "./permissions.js";

const tools = [
  ..."terminal read_file write_file edit_file list_files search_files".split(" "),
  ..."fetch_url session_search session_read send_message files_read_text".split(" "),
].map((name) => ({ name }));

const names = (...call: Parameters<typeof toolsFor>) => toolsFor(...call).map(({ name }) => name);
const on = (role: (typeof ROLES)[number], platform = "telegram", ...names: string[]) => ({
  role,
  source: { platform },
  names,
});

describe("roles", () => {
  it("are ordered", () => {
    const order = ROLES.map((role) => ROLES.map((needed) => Number(atLeast(role, needed))).join(""));
    expect(order).toEqual(["100", "110", "111"]);
    expect(highest(["guest", null, "member"])).toBe("member");
    expect(highest([null])).toBeNull();
  });
});

describe("tools", () => {
  it("a guest has none that touch files, run commands, write to others or come from elsewhere", () => {
    expect(names(on("guest"), tools, {})).toEqual(["fetch_url", "session_search", "session_read"]);
  });

  it("a member can also write to their own chats, an owner has all", () => {
    expect(names(on("member"), tools, {})).toEqual([
      "fetch_url",
      "session_search",
      "session_read",
      "send_message",
    ]);
    expect(names(on("owner"), tools, {})).toHaveLength(tools.length);
  });

  it("lists decide instead, by exact names, and a platform's list holds for everybody there", () => {
    const lists = {
      guests: ["read_file", "*", "files_"],
      members: ["terminal"],
      byPlatform: { discord: ["fetch_url", "terminal", "read_file"] },
    };
    expect(names(on("guest"), tools, lists)).toEqual(["read_file"]);
    expect(names(on("member"), tools, lists)).toEqual(["terminal"]);
    expect(names(on("owner"), tools, lists)).toHaveLength(tools.length);
    expect(names(on("guest", "discord"), tools, lists)).toEqual(["read_file"]);
    expect(names(on("owner", "discord"), tools, lists)).toEqual(["terminal", "read_file", "fetch_url"]);
    expect(names(on("owner", "constructor"), tools, lists)).toHaveLength(tools.length);
    expect(names(on("guest"), tools, { guests: [] })).toEqual([]);
  });
});

describe("the tools of one person", () => {
  const ann = identityNamed("matrix", "@ann:example.org");

  it("are theirs instead of their role's, whatever they are", () => {
    const lists = {
      byPerson: { "telegram:1": ["terminal"], "telegram:2": [], "telegram:3": ["fetch_url"] },
      byPlatform: { discord: ["fetch_url"] },
    };
    expect(names(on("guest", "telegram", "telegram:1"), tools, lists)).toEqual(["terminal"]);
    expect(names(on("member", "telegram", "telegram:2"), tools, lists)).toEqual([]);
    expect(names(on("owner", "telegram", "telegram:3"), tools, lists)).toEqual(["fetch_url"]);
    expect(names(on("guest", "discord", "telegram:1", "discord:9"), tools, lists)).toEqual([]);
    expect(names(on("guest", "telegram", "telegram:11"), tools, lists)).toHaveLength(3);
  });

  it("are found by an id as it is and as it is shown", () => {
    for (const written of ["matrix:@ann:example.org", ann]) {
      const lists = { byPerson: { [written]: ["terminal"] } };
      expect(names(on("guest", "matrix", ann), tools, lists)).toEqual(["terminal"]);
    }
  });

  const someTools = fc.subarray(tools.map(({ name }) => name));
  const identity = fc.constantFrom("telegram:1", "discord:2", ann);
  const someLists = fc.record(
    {
      guests: someTools,
      members: someTools,
      byPlatform: fc.dictionary(fc.constantFrom("telegram", "discord"), someTools),
      byPerson: fc.dictionary(identity, someTools),
    },
    { requiredKeys: [] },
  );
  const somebody = fc
    .record({
      role: fc.constantFrom(...ROLES),
      platform: fc.constantFrom("telegram", "discord", "slack"),
      is: fc.uniqueArray(identity),
    })
    .map(({ role, platform, is }) => on(role, platform, ...is));

  it("property: person before role, both within the platform, and never more than a list says", () => {
    fc.assert(
      fc.property(somebody, someLists, (user, lists) => {
        const { byPerson = {}, byPlatform = {}, ...byRole } = lists;
        const own = user.names.flatMap((name) => (byPerson[name] ? [byPerson[name]] : []));
        const role = names({ ...user, names: [] }, tools, byRole);
        const here = byPlatform[user.source.platform];
        const expected = tools
          .map(({ name }) => name)
          .filter((name) => (own.length > 0 ? own.every((list) => list.includes(name)) : role.includes(name)))
          .filter((name) => here?.includes(name) ?? true);
        expect(names(user, tools, lists)).toEqual(expected);
      }),
    );
  });

  it("property: who may steer another has each of their tools, and no lesser role", () => {
    fc.assert(
      fc.property(somebody, somebody, someLists, (user, other, lists) => {
        const has = names(user, tools, lists);
        const hasAll = names(other, tools, lists).every((name) => has.includes(name));
        if (mayAllThat(user, other, lists))
          expect([hasAll, atLeast(user.role, other.role)]).toEqual([true, true]);
        expect(mayAllThat(user, user, lists)).toBe(true);
      }),
    );
  });

  it("are what both platforms leave, where a message was written on one and is answered on another", () => {
    const lists = { byPlatform: { discord: ["fetch_url"] } };
    const moved = { ...on("owner", "telegram"), wroteOn: "discord" };
    expect(names(moved, tools, lists)).toEqual(["fetch_url"]);
  });
});

describe("mayTouch", () => {
  const person = (role: (typeof ROLES)[number], id: string) => ({
    ...on(role, "telegram", id),
    identities: [id],
    allowed: true as const,
  });
  const lists = { byPerson: { "telegram:2": ["read_file"] } };

  it("lets people touch what is theirs, and what those wrote who may do no more", () => {
    const [owner, limited, guest] = [
      person("owner", "a"),
      person("owner", "telegram:2"),
      person("guest", "c"),
    ];
    const may = (actor: typeof owner, author: Parameters<typeof mayTouch>[1]) =>
      mayTouch(actor, author, lists);
    expect([owner, limited, guest].every((each) => may(each, each))).toBe(true);
    expect([may(owner, guest), may(owner, limited)]).toEqual([true, true]);
    expect([may(guest, owner), may(guest, limited), may(limited, owner)]).toEqual([false, false, false]);
  });

  it("leaves what nobody is known to have written to owners, and what somebody wrote who was shut out to all", () => {
    expect(ROLES.map((role) => mayTouch(person(role, "x"), null, {}))).toEqual([false, false, true]);
    expect(ROLES.every((role) => mayTouch(person(role, "x"), { allowed: false }, {}))).toBe(true);
  });
});
