import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../adapter/platforms.js";
import { type Belonging, belongingOf, mayAccess, type SessionBelonging, viewerOf } from "./access.js";
import type { SessionId } from "./ids.js";
import { keyUnder, sourceOfKey } from "./key-source.js";
import { isPlatform, platforms, platformTraits } from "./platform.js";
import { type LaneStep, planRescope, type SeenLane } from "./rescope.js";
import { buildSessionKey, type SessionKey, type SessionScopes } from "./session-key.js";
import { parseSource, type SessionSource } from "./source.js";

const [, HERE = ""] = platforms();
const PER_CHAT = platforms().find((name) => platformTraits(name).dmPerChat) ?? "";

interface Kept extends SessionBelonging {
  readonly key: SessionKey;
  readonly isEnded: boolean;
}

/** The store, as far as lanes go: what messages, /resume and a plan do to it. */
class World {
  readonly lanes = new Map<SessionKey, SeenLane>();
  readonly sessions = new Map<SessionId, Kept>();
  #time = 0;

  say(source: SessionSource, scopes: SessionScopes): void {
    const key = keyUnder(source, scopes);
    if (key === null) return;
    const lane = this.lanes.get(key);
    if (lane) {
      this.lanes.set(key, { ...lane, updatedAt: ++this.#time });
      return;
    }
    const sessionId = `s${this.sessions.size}` as SessionId;
    const { owner, chat } = belongingOf(source, scopes);
    const place = { key, owner, chat, origin: source, displayName: "", title: null };
    this.lanes.set(key, { ...place, sessionId, updatedAt: ++this.#time });
    this.sessions.set(sessionId, { key, owner, chat, laneOwner: owner, isEnded: false });
  }

  /** The session comes into the lane of this source, if its sender may see it. */
  resume(source: SessionSource, which: number, scopes: SessionScopes): void {
    const key = keyUnder(source, scopes);
    const sessionId = `s${which % Math.max(1, this.sessions.size)}` as SessionId;
    const target = this.sessions.get(sessionId);
    if (key === null || !target || !mayAccess(viewerOf(source), target)) return;
    const belonging = belongingOf(source, scopes);
    for (const lane of this.lanes.values()) if (lane.sessionId === sessionId) this.lanes.delete(lane.key);
    const lane = this.lanes.get(key);
    if (lane) this.#change(lane.sessionId, { isEnded: true });
    const place: Belonging & Pick<SeenLane, "origin"> = lane ?? { ...belonging, origin: source };
    this.lanes.set(key, { ...place, key, displayName: "", title: null, sessionId, updatedAt: ++this.#time });
    this.#change(sessionId, { key, isEnded: false, laneOwner: place.owner, chat: place.chat });
  }

  #change(sessionId: SessionId, change: Partial<Kept>): void {
    const kept = this.sessions.get(sessionId);
    if (!kept) throw new Error("There is no such session.");
    this.sessions.set(sessionId, { ...kept, ...change });
  }

  /** As the store does: it refuses a step if a lane has another session than the plan saw. */
  take(step: LaneStep): void {
    const { lane } = step;
    expect(this.lanes.get(lane.key)?.sessionId).toBe(lane.sessionId);
    this.lanes.delete(lane.key);
    if (step.kind === "end") {
      this.#change(lane.sessionId, { isEnded: true });
      return;
    }
    expect(this.lanes.get(step.to)?.sessionId).toBe(step.over?.sessionId);
    if (step.over) this.#change(step.over.sessionId, { isEnded: true });
    this.lanes.set(step.to, { ...lane, key: step.to });
    this.#change(lane.sessionId, { key: step.to });
  }

  plan(scopes: SessionScopes, fromAgents: readonly string[] = []) {
    return planRescope([...this.lanes.values()], scopes, { severalOn: new Set([HERE]), fromAgents });
  }

  rescope(scopes: SessionScopes, fromAgents: readonly string[] = []): void {
    for (const step of this.plan(scopes, fromAgents).steps) this.take(step);
  }

  /** The sessions that the sender of this may list, read and resume. */
  seenBy(source: SessionSource): SessionId[] {
    const viewer = viewerOf(source);
    return [...this.sessions].filter(([, kept]) => mayAccess(viewer, kept)).map(([id]) => id);
  }

  /** The session that a message from there gets into. */
  at(source: SessionSource, scopes: SessionScopes): SessionId | null {
    const key = keyUnder(source, scopes);
    return (key && this.lanes.get(key)?.sessionId) ?? null;
  }
}

const PEOPLE = ["7", "8", "ann"];
/** A DM is one person's; a topic may have the number of a member. */
const everywhere: SessionSource[] = [HERE, PER_CHAT].flatMap((platform) =>
  PEOPLE.flatMap((userId): SessionSource[] => [
    { platform, chatType: "dm", chatId: `dm-${userId}`, userId },
    { platform, chatType: "dm", chatId: `dm-${userId}`, userId, threadId: "7" },
    { platform, chatType: "group", chatId: "g", userId },
    { platform, chatType: "group", chatId: "g", userId, threadId: "7" },
    { platform, chatType: "channel", chatId: "g", userId },
    { platform, chatType: "thread", chatId: "g", threadId: "7", userId },
  ]),
);
const anywhere = fc.constantFrom(...everywhere);
const anyScopes: fc.Arbitrary<SessionScopes> = fc.record(
  {
    agent: fc.constantFrom("main", "other"),
    dm: fc.constantFrom("chat", "platform"),
    group: fc.constantFrom("chat", "member"),
    thread: fc.constantFrom("chat", "member"),
  },
  { requiredKeys: [] },
);
const anyStory = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("say" as const), source: anywhere }) },
    fc.record({ kind: fc.constant("resume" as const), source: anywhere, which: fc.nat(20) }),
  ),
  { maxLength: 25 },
);
type Story = typeof anyStory extends fc.Arbitrary<infer Told> ? Told : never;

function live(world: World, story: Story, scopes: SessionScopes): World {
  for (const event of story) {
    if (event.kind === "say") world.say(event.source, scopes);
    else world.resume(event.source, event.which, scopes);
  }
  return world;
}

const AGENTS = ["main", "other"];

describe("a change of scopes", () => {
  it("shows nobody more and nobody less, and leaves no lane behind", () => {
    fc.assert(
      fc.property(anyStory, anyStory, anyScopes, anyScopes, (before, meanwhile, from, to) => {
        // People may have written under the new scopes before somebody carries the old lanes over.
        const world = live(live(new World(), before, from), meanwhile, to);
        const known = everywhere.map((source) => ({
          source,
          seen: world.seenBy(source),
          heard: [world.at(source, from), world.at(source, to)],
        }));
        const occupied = [...world.lanes.values()];
        const { unclear } = world.plan(to, AGENTS);
        expect(unclear).toEqual([]);
        world.rescope(to, AGENTS);
        for (const { source, seen, heard } of known) {
          expect(world.seenBy(source)).toEqual(seen);
          const now = world.at(source, to);
          // Nobody's message gets into a conversation that they could neither see nor take part in.
          if (now !== null) expect([...seen, ...heard]).toContain(now);
        }
        for (const { sessionId } of occupied) {
          const kept = world.sessions.get(sessionId);
          const lane = [...world.lanes.values()].find((each) => each.sessionId === sessionId);
          expect(kept?.isEnded).toBe(lane === undefined);
          if (lane) expect(kept?.key).toBe(lane.key);
        }
        // Once is enough, and every lane that is left has the key that messages there have.
        expect(world.plan(to, AGENTS).steps).toEqual([]);
        for (const { key, origin } of world.lanes.values()) expect(keyUnder(origin, to)).toBe(key);
      }),
      { numRuns: 500 },
    );
  });

  it("loses nothing on the way there and back", () => {
    fc.assert(
      fc.property(anyStory, anyStory, anyScopes, anyScopes, (before, meanwhile, from, to) => {
        const world = live(new World(), before, from);
        const known = everywhere.map((source) => ({ source, seen: world.seenBy(source) }));
        world.rescope(to, AGENTS);
        const there = live(
          world,
          meanwhile.filter(({ kind }) => kind === "say"),
          to,
        );
        there.rescope(from, AGENTS);
        for (const { source, seen } of known)
          expect(there.seenBy(source)).toEqual(expect.arrayContaining(seen));
        expect(there.plan(from, AGENTS).steps).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  it("can be stopped after any step and begun again", () => {
    fc.assert(
      fc.property(anyStory, anyScopes, anyScopes, fc.nat(30), (before, from, to, taken) => {
        const [whole, parted] = [live(new World(), before, from), live(new World(), before, from)];
        whole.rescope(to, AGENTS);
        for (const step of parted.plan(to, AGENTS).steps.slice(0, taken)) parted.take(step);
        parted.rescope(to, AGENTS);
        expect(new Set(parted.lanes.values())).toEqual(new Set(whole.lanes.values()));
        expect(parted.sessions).toEqual(whole.sessions);
      }),
      { numRuns: 250 },
    );
  });

  const ann: SessionSource = { platform: HERE, chatType: "dm", chatId: "1", userId: "ann" };
  const topic: SessionSource = { ...ann, threadId: "7" };
  const bob: SessionSource = { platform: HERE, chatType: "dm", chatId: "2", userId: "bob" };
  const group: SessionSource = { platform: HERE, chatType: "group", chatId: "g", userId: "ann" };
  const carried = (
    said: SessionSource[],
    from: SessionScopes,
    to: SessionScopes,
    fromAgents: string[] = [],
  ) => {
    const world = new World();
    for (const source of said) world.say(source, from);
    const lanes = [...world.lanes.values()];
    const { steps } = planRescope(lanes, to, { fromAgents });
    return steps.map((step) => {
      const who = said[Number(step.lane.sessionId.slice(1))];
      return step.kind === "end" ? [who, step.why] : [who, step.to];
    });
  };

  it("gives the newest DM of one person the lane of the platform", () => {
    const other: SessionSource = { ...ann, chatId: "3" };
    expect(carried([ann, topic, other], {}, { dm: "platform" })).toEqual([
      [ann, "newer"],
      [other, `agent:main:${HERE}:dm`],
      [topic, `agent:main:${HERE}:dm::7`],
    ]);
    expect(carried([ann], { dm: "platform" }, {})).toEqual([[ann, `agent:main:${HERE}:dm:1`]]);
  });

  it("makes nobody's DM the conversation of others", () => {
    expect(carried([ann, bob], {}, { dm: "platform" })).toEqual([
      [ann, "people"],
      [bob, "people"],
    ]);
  });

  it("keeps a member's own from the group, and the group's from becoming one member's", () => {
    expect(carried([group], { group: "member" }, {})).toEqual([[group, "private"]]);
    expect(carried([group], {}, { group: "member" })).toEqual([[group, "shared"]]);
  });

  it("leaves lanes of another agent alone unless it is named", () => {
    expect(carried([ann, group], {}, { agent: "bot" })).toEqual([]);
    expect(carried([ann, group], {}, { agent: "bot" }, ["main"])).toEqual([
      [ann, `agent:bot:${HERE}:dm:1`],
      [group, `agent:bot:${HERE}:group:g`],
    ]);
  });

  it("lets a lane leave before another one takes its key", () => {
    const world = new World();
    const seven: SessionSource = { ...group, userId: "7" };
    world.say(seven, { agent: "old", group: "member" });
    world.say({ ...group, threadId: "7" }, {});
    const to: SessionScopes = { group: "member" };
    world.rescope(to, ["old"]);
    expect([world.at(seven, to), world.at({ ...group, threadId: "7" }, to)]).toEqual(["s0", "s1"]);
  });

  it("leaves a lane alone whose platform is not registered here", () => {
    const world = new World();
    world.say(ann, {});
    const [lane] = world.lanes.values();
    const strange = { ...lane, origin: { ...ann, platform: "nowhere" } } as SeenLane;
    expect(isPlatform("nowhere")).toBe(false);
    expect(planRescope([strange], { dm: "platform" })).toEqual({ steps: [], unclear: [strange] });
  });
});

describe("a key read back", () => {
  it("gives a source with the same key, whatever the scopes", () => {
    fc.assert(
      fc.property(anywhere, anyScopes, (source, scopes) => {
        const key = buildSessionKey(source, scopes);
        const read = sourceOfKey(key, scopes);
        if (read === null) expect(scopes.dm === "platform" && source.chatType === "dm").toBe(true);
        else expect(buildSessionKey(read, scopes)).toBe(key);
      }),
    );
  });

  it("gives nothing for a key that no message has", () => {
    const key = (source: object, scopes: SessionScopes) => buildSessionKey(parseSource(source), scopes);
    const member = key(
      { platform: HERE, chat_id: "g", chat_type: "group", user_id: "ann" },
      { group: "member" },
    );
    expect(sourceOfKey(member, { thread: "member" })).toBeNull();
    expect(sourceOfKey(member, { group: "member" })).toMatchObject({ chatId: "g", userId: "ann" });
    expect(
      sourceOfKey(key({ platform: HERE, chat_id: "1" }, { dm: "platform" }), { dm: "platform" }),
    ).toBeNull();
  });
});
