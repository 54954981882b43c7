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
const config = (allow: Readonly<Record<string, readonly string[]>>) => {
  const people = Object.entries(allow).flatMap(([platform, ids]) => ids.map((id) => `${platform}:${id}`));
  const byPerson = Object.fromEntries(people.map((person) => [person, []]));
  const limited = Object.fromEntries(people.map((person) => [person, {}]));
  return {
    people: { allow, owners: allow, guests: allow },
    tools: { byPerson },
    limits: { byPerson: limited },
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
        ...["tools", "limits"].flatMap((group) => ids.map((id) => `${group}.byPerson.${platform}:${id}`)),
      ].sort(),
    );
    for (const { message } of found)
      expect(message).toMatch(/matches nobody on .* such as|matches nobody on .*[U@]/);
  },
);
