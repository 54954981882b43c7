import { expect, it } from "vitest";
import { unmatchableIds } from "./unmatchable-ids.js";

const GOOD = {
  telegram: ["123456789"],
  discord: ["123456789012345678"],
  slack: ["U012ABCDEF", "W012ABCDEF"],
  whatsapp: ["+15551234567", "15551234567@s.whatsapp.net", "123456789@lid"],
  signal: ["+15551234567", "01234567-89ab-cdef-0123-456789abcdef"],
  matrix: ["@ann:example.org", "@ann:localhost:8008"],
};
const BAD = {
  telegram: ["@alice", "alice", "+15551234567"],
  discord: ["alice#1234", "alice"],
  slack: ["alice", "@alice", "C"],
  whatsapp: ["alice", "0151 2345678", "01512345678"],
  signal: ["15551234567", "@alice.01", "alice"],
  matrix: ["ann", "@ann", "ann:example.org"],
};
const GOOD_CHATS = {
  telegram: ["123456789", "-1001234567890"],
  discord: ["123456789012345678"],
  slack: ["C012ABCDEF", "D012ABCDEF", "G012ABCDEF"],
  whatsapp: [
    "+15551234567",
    "15551234567",
    "123456789@lid",
    "120363012345678901@g.us",
    "15551234567-1600000000@g.us",
  ],
  signal: [
    "+15551234567",
    "01234567-89ab-cdef-0123-456789abcdef",
    "bXkgZ3JvdXAgaWQgb2YgMzIgYnl0ZXMgaXMgaGVyZSE=",
  ],
  matrix: ["!abc:example.org", "!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM"],
};
const BAD_CHATS = {
  telegram: ["@channel", "https://t.me/channel"],
  discord: ["#general", "general"],
  slack: ["#general", "general", "U012ABCDEF"],
  whatsapp: ["Family", "01512345678"],
  signal: ["Family", "15551234567"],
  matrix: ["#room:example.org", "@ann:example.org", "room"],
};
const groupOn = (platform: string) => `${platform}:${GOOD_CHATS[platform as keyof typeof GOOD_CHATS][0]}`;
const chats = (ids: Readonly<Record<string, readonly string[]>>) => {
  const names = Object.entries(ids).flatMap(([platform, each]) => each.map((id) => `${platform}:${id}`));
  const homes = Object.entries(ids).map(([platform, [id = ""]]) => [platform, { homeChannel: id }]);
  return {
    ...config({}),
    busy: { byChat: Object.fromEntries(names.map((name) => [name, "queue"])) },
    groups: { byChat: Object.fromEntries(names.map((name) => [name, {}])) },
    platforms: Object.fromEntries(homes),
  } as unknown as Parameters<typeof unmatchableIds>[0];
};
const config = (allow: Readonly<Record<string, readonly string[]>>) => {
  const people = Object.entries(allow).flatMap(([platform, ids]) => ids.map((id) => `${platform}:${id}`));
  const byPerson = Object.fromEntries(people.map((person) => [person, []]));
  const limited = Object.fromEntries(people.map((person) => [person, {}]));
  return {
    people: { allow, owners: allow, guests: allow },
    tools: { byPerson },
    limits: { byPerson: limited },
    busy: { byChat: {} },
    groups: {
      byChat: Object.fromEntries(
        Object.entries(allow).map(([platform, people]) => [groupOn(platform), { people }]),
      ),
    },
    platforms: { telegram: { homeChannel: null } },
  } as unknown as Parameters<typeof unmatchableIds>[0];
};

it("an id that can be somebody's is no mistake", () => {
  expect(unmatchableIds(config(GOOD))).toEqual([]);
});

it.each(Object.entries(BAD))(
  "an id that can match nobody on %s is told with its key and an example",
  (platform, ids) => {
    const found = unmatchableIds(config({ [platform]: ids }));
    expect(found.map(({ key }) => key).sort()).toEqual(
      [
        ...["allow", "owners", "guests"].flatMap((list) => ids.map(() => `people.${list}.${platform}`)),
        ...ids.map(() => `groups.byChat.${groupOn(platform)}.people`),
        ...["tools", "limits"].flatMap((group) => ids.map((id) => `${group}.byPerson.${platform}:${id}`)),
      ].sort(),
    );
    for (const { message } of found)
      expect(message).toMatch(/matches nobody on .* such as|matches nobody on .*[U@]/);
  },
);

it("an id that can be a chat's is no mistake, also as an address has it", () => {
  expect(
    unmatchableIds(chats({ ...GOOD_CHATS, matrix: [...GOOD_CHATS.matrix, "!abc%3Aexample.org"] })),
  ).toEqual([]);
});

it("a thread of a home channel is no mistake", () => {
  expect(unmatchableIds(chats({ telegram: ["-1001234567890:7"] })).map(({ key }) => key)).toEqual([
    "busy.byChat.telegram:-1001234567890:7", // A chat has one mode, with all its threads.
    "groups.byChat.telegram:-1001234567890:7",
  ]);
});

it.each(Object.entries(BAD_CHATS))(
  "an id that can match no chat on %s is told with its key and an example",
  (platform, ids) => {
    const found = unmatchableIds(chats({ [platform]: ids.map((id) => id.replaceAll(":", "%3A")) }));
    expect(found.map(({ key }) => key)).toEqual([
      ...["busy", "groups"].flatMap((group) =>
        ids.map((id) => `${group}.byChat.${platform}:${id.replaceAll(":", "%3A")}`),
      ),
      `platforms.${platform}.homeChannel`,
    ]);
    for (const { message } of found) expect(message).toMatch(/is not a chat id on .*\. A chat id there is /);
  },
);
