import { expect, test } from "vitest";
import type { SessionId } from "../../session/ids.js";
import type { SessionEntry } from "../../session/session.js";
import type { SessionKey } from "../../session/session-key.js";
import { BoundSession } from "./bound-session.js";

const entry = (sessionId: string, more: Partial<SessionEntry> = {}): SessionEntry =>
  ({ sessionId, parentId: null, resetReason: null, ...more }) as SessionEntry;

/** A lane, and what its terminal hears. */
async function world(first: SessionEntry | null, named: SessionId | null = null) {
  let current = first;
  const said: string[] = [];
  let onSaid: () => void = () => {};
  const tell = (what: string): void => {
    said.push(what);
    onSaid();
  };
  const bound = new BoundSession({
    key: "k" as SessionKey,
    sessions: { current: async () => current, get: async (id) => entry(id) },
    onChange: (now) => tell(`has ${now?.sessionId ?? "none"}`),
    onTaken: (now) => tell(`lost ${now?.sessionId}`),
    onProblem: (problem) => expect.fail(problem),
  });
  await bound.bind(named);
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      onSaid = () => said.length >= count && resolve();
      onSaid();
    });
  const becomes = (next: SessionEntry | null, by: "us" | "others"): void => {
    current = next;
    bound.hear(
      by === "us"
        ? { kind: "session", sessionId: next?.sessionId ?? ("" as SessionId) }
        : { kind: "unknown" },
    );
  };
  return { bound, said, becomes, until };
}

test("a terminal goes along with what it changes itself, and with a policy", async () => {
  const { bound, said, becomes, until } = await world(null);
  becomes(entry("a"), "others"); // There was none: the first one is everybody's.
  await until(2);
  becomes(entry("b"), "us");
  await until(3);
  becomes(entry("c", { parentId: "b" as SessionId, resetReason: "idle" }), "others");
  await until(4);
  expect(said).toEqual(["has none", "has a", "has b", "has c"]);
  expect(bound.id).toBe("c");
});

test("what others put in its place takes the session away, which is said once; what is typed stays meant for it", async () => {
  const { bound, said, becomes, until } = await world(entry("a"));
  becomes(entry("b"), "others");
  await until(2);
  becomes(entry("c"), "others");
  becomes(null, "others");
  becomes(entry("a"), "others"); // It was brought back.
  await until(3);
  await bound.stop();
  expect(said).toEqual(["has a", "lost a", "has a"]);
  expect(bound.id).toBe("a");
});

test("a session that was named is the terminal's, also if its lane has another one by then", async () => {
  const { bound, said, until } = await world(entry("b"), "a" as SessionId);
  expect(bound.id).toBe("a");
  bound.hear({ kind: "unknown" });
  await until(2);
  expect(said).toEqual(["has a", "lost a"]);
});
