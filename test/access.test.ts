/** Access over a real store: 10 000 random requests of random people against an oracle that keeps its own books. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BatonError,
  identityOf,
  localSource,
  openSessions,
  type SessionScopes,
  type SessionSource,
  type Sessions,
  type Viewer,
  viewerOf,
} from "../src/index.js";
import type { SessionId } from "../src/session/ids.js";

/** What the oracle knows of a session: who began it, where, and whether the chat shares it. */
interface Fact {
  readonly sessionId: SessionId;
  readonly title: string;
  readonly word: string;
  readonly shared: boolean;
  readonly person: string | null;
  readonly chat: string;
}

const people = ["ann", "bob", "eve", "a:b", "a%3Ab"];
const places = ["telegram", "signal"].flatMap((platform) => [
  ...people.map(
    (user): SessionSource => ({
      platform,
      chatType: "dm",
      chatId: `dm-${user}`,
      userId: user,
      userName: "Same Name",
    }),
  ),
  ...people.map(
    (user): SessionSource => ({
      platform,
      chatType: "group",
      chatId: "team",
      chatName: "Team",
      userId: user,
    }),
  ),
  ...people.map(
    (user): SessionSource => ({ platform, chatType: "group", chatId: "other", userId: user, threadId: "7" }),
  ),
]);

function allowed(viewer: Viewer, fact: Fact): boolean {
  if (viewer.kind === "owner") return true;
  if (viewer.kind === "person")
    return !fact.shared && fact.person !== null && viewer.identities.includes(fact.person);
  return (
    viewer.chat === fact.chat && (fact.shared || (fact.person !== null && fact.person === viewer.identity))
  );
}

describe.each<[string, SessionScopes]>([
  ["shared groups", {}],
  ["groups of members", { group: "member", thread: "member" }],
])("with %s", (_, scopes) => {
  let sessions: Sessions;
  const facts: Fact[] = [];

  beforeAll(async () => {
    sessions = await openSessions({ url: "sqlite::memory:", config: { scopes } });
    for (const [index, source] of [...places, ...places, localSource()].entries()) {
      const { entry } = await sessions.receive(
        source,
        { role: "user", content: `secret word${index} common` },
        { forceNew: true },
      );
      const title = `title ${index}.`; // No one is a part of another: a part finds a session, too.
      await sessions.setTitle(entry.sessionId, title);
      const own = source.chatType === "dm" || scopes.group === "member";
      const shared = !own || source.userId === undefined;
      facts.push({
        sessionId: entry.sessionId,
        title,
        word: `word${index}`,
        shared,
        person: shared ? null : identityOf(source),
        chat: `${source.platform}:${source.chatId}`,
      });
      if (index % 3 === 0) await sessions.indexAll(); // some indexed, some in the tail
    }
  });
  afterAll(() => sessions.close());

  const refused = async (attempt: Promise<unknown>): Promise<boolean> => {
    try {
      await attempt;
      return false;
    } catch (error) {
      if ((error as BatonError).code !== "session_not_found") throw error;
      return true;
    }
  };

  it("nobody lists, reads, searches, resumes or hands off what is another's (5 000 requests)", async () => {
    const viewers: Viewer[] = [
      { kind: "owner" },
      { kind: "person", identities: [] },
      { kind: "person", identities: ["telegram:ann", "signal:ann"] },
      { kind: "chat", chat: "telegram:team" },
      ...places.map(viewerOf),
    ];
    const requests = fc.sample(
      fc.record({
        viewer: fc.constantFrom(...viewers),
        fact: fc.nat(facts.length - 1),
        act: fc.constantFrom(
          "list",
          "get",
          "load",
          "find by id",
          "find by title",
          "search",
          "search all",
          "title",
          "resume",
          "hand off",
        ),
      }),
      { numRuns: 5_000, seed: 42 },
    );
    const counts = { allowed: 0, denied: 0 };
    for (const { viewer, fact: index, act } of requests) {
      const fact = facts[index] as Fact;
      const may = allowed(viewer, fact);
      counts[may ? "allowed" : "denied"] += 1;
      const view = sessions.as(viewer);
      const where = `${JSON.stringify(viewer)} ${act} ${JSON.stringify(fact)}`;
      switch (act) {
        case "list":
        case "search all": {
          const shown = new Set<string>();
          let cursor: string | undefined;
          do {
            const page: { items: { sessionId: string }[]; nextCursor: string | null } =
              act === "list"
                ? await view.list({ limit: 7, ...(cursor ? { cursor } : {}) })
                : await view.search("common", { limit: 7, ...(cursor ? { cursor } : {}) });
            for (const item of page.items) shown.add(item.sessionId);
            cursor = page.nextCursor ?? undefined;
          } while (cursor);
          expect(shown, where).toEqual(
            new Set(facts.filter((each) => allowed(viewer, each)).map((each) => each.sessionId)),
          );
          break;
        }
        case "search": {
          const { items } = await view.search(fact.word);
          expect(
            items.map((hit) => hit.sessionId),
            where,
          ).toEqual(may ? [fact.sessionId] : []);
          break;
        }
        case "get":
          expect(await refused(view.get(fact.sessionId)), where).toBe(!may);
          break;
        case "load":
          expect(await refused(view.load(fact.sessionId)), where).toBe(!may);
          break;
        case "find by id":
          expect(await refused(view.find(fact.sessionId)), where).toBe(!may);
          break;
        case "find by title":
          expect(await refused(view.find(fact.title)), where).toBe(!may);
          break;
        case "title":
          expect(await refused(view.setTitle(fact.sessionId, fact.title)), where).toBe(!may);
          break;
        case "resume": {
          // Resuming moves a session; only refusals are tried here, the moves in the contract suite.
          if (!may) expect(await refused(view.switchTo(localSource(), fact.sessionId)), where).toBe(true);
          break;
        }
        case "hand off":
          if (!may) expect(await refused(view.requestHandoff(fact.sessionId, "telegram")), where).toBe(true);
          break;
      }
    }
    expect(counts.allowed).toBeGreaterThan(250);
    expect(counts.denied).toBeGreaterThan(2_500);
  }, 120_000);
});
