/** What every store of people must do, as a vitest suite over the same fixtures as the gateway store's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ASKED_MS, CODE_MS, LOCK_MS, MOST_AGAIN, MOST_WAITING } from "../gateway/pairing.js";
import type { NewPairingRequest, PeopleStore } from "../gateway/people-store.js";
import type { Role } from "../gateway/permissions.js";
import { partsOfIdentity } from "../session/access.js";
import { platforms } from "../session/platform.js";
import { asSessionKey } from "../session/session-key.js";
import type { GatewayStoreFixture } from "./gateway-store-contract.js";

const [, HERE = "", THERE = ""] = platforms();
const ann = `${HERE}:ann`;
const bob = `${HERE}:bob`;
const away = `${THERE}:ann`;
const owner = "the owner";

export function peopleStoreContract(name: string, createFixture: () => Promise<GatewayStoreFixture>): void {
  describe(`people store: ${name}`, () => {
    let fixture: GatewayStoreFixture;
    let people: PeopleStore;
    let other: PeopleStore;
    const now = 1_000_000;

    beforeEach(async () => {
      fixture = await createFixture();
      people = (await fixture.open()).people;
      other = (await fixture.open()).people;
    });
    afterEach(() => fixture.dispose());

    const request = (identity: string, codeHash = `hash of ${identity}`): NewPairingRequest => ({
      identity,
      platform: partsOfIdentity(identity)?.platform ?? "",
      called: "Ann",
      codeHash,
      expiresAt: now + CODE_MS,
    });
    const as = (id: string, role: Role = "guest") => ({ id, role, name: null });
    const letIn = async (identity: string, role: Role = "guest") => {
      await people.ask(request(identity), now);
      const outcome = await people.approve(owner, `hash of ${identity}`, as(`p ${identity}`, role), now);
      if (outcome.kind !== "approved") throw new Error(outcome.kind);
      return outcome.person;
    };
    const identitiesOf = async (identity: string) =>
      (await other.find(identity))?.identities.map((each) => each.identity) ?? null;

    it("tells with a person how often persons were changed, and that only changes with them", async () => {
      expect(await people.known("a:1")).toEqual({ person: null, version: 0 });
      let last = 0;
      const changes: (() => Promise<unknown>)[] = [
        () => letIn("a:1"),
        async () => {
          await people.showLink("a:1", "hash of a link", now + CODE_MS);
          await people.link("b:2", "hash of a link", () => true, "p1", now);
        },
        () => people.unlink("b:2", "p2", now),
        () => people.join("a:1", "c:3", "p3", now),
        () => people.setRole("p a:1", "member"),
        () => people.forget({ identity: "a:1" }),
      ];
      for (const change of changes) {
        await change();
        const { person, version } = await other.known("a:1");
        expect(person).toEqual(await people.find("a:1"));
        expect(version).toBeGreaterThan(last);
        last = version;
        await people.standing("a:1", "a", now);
        expect((await people.known("nobody:1")).version).toBe(version);
      }
    });

    it("knows nobody at first, and afterwards whom the owner let in", async () => {
      expect(await people.find(ann)).toBeNull();
      expect(await people.ask(request(ann), now)).toBe("asked");
      expect(await people.find(ann)).toBeNull();
      expect(await other.requests(now)).toEqual([
        { identity: ann, called: "Ann", askedAt: now, expiresAt: now + CODE_MS, denied: false },
      ]);
      const person = {
        id: "p1",
        name: "Mum",
        createdAt: now + 5,
        identities: [{ identity: ann, role: "member" }],
      };
      expect(
        await people.approve(owner, `hash of ${ann}`, { id: "p1", role: "member", name: "Mum" }, now + 5),
      ).toEqual({ kind: "approved", person, identity: ann });
      expect(await other.find(ann)).toEqual(person);
      expect(await other.list()).toEqual([person]);
      expect(await other.requests(now)).toEqual([]);
    });

    it("takes a code once, in its time, for who asked with it", async () => {
      await people.ask(request(ann), now);
      await people.ask(request(bob), now);
      expect(await people.approve(owner, "hash of nobody", as("p"), now)).toEqual({ kind: "wrong", left: 4 });
      const approved = await people.approve(owner, `hash of ${bob}`, as("p"), now + CODE_MS - 1);
      expect(approved).toMatchObject({ kind: "approved", identity: bob });
      expect(await people.find(ann)).toBeNull();
      expect(await people.approve(owner, `hash of ${bob}`, as("p2"), now)).toEqual({
        kind: "wrong",
        left: 3,
      });
      const late = await people.approve(owner, `hash of ${ann}`, as("p3"), now + CODE_MS);
      expect(late).toEqual({ kind: "wrong", left: 2 });
      expect(await people.list()).toHaveLength(1);
    });

    it("lets one of many win who approve the same code at once", async () => {
      await people.ask(request(ann), now);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? people : other).approve(`owner ${n}`, `hash of ${ann}`, as(`p${n}`), now),
        ),
      );
      expect(outcomes.filter(({ kind }) => kind === "approved")).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === "wrong")).toHaveLength(9);
      expect(await people.list()).toHaveLength(1);
    });

    it("looks at five wrong codes of one, however many come at once, and then at none for an hour", async () => {
      await people.ask(request(ann), now);
      const guesses = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? people : other).approve("eve", `guess ${n}`, as("p"), now),
        ),
      );
      expect(guesses.filter(({ kind }) => kind === "wrong")).toHaveLength(5);
      expect(guesses.filter(({ kind }) => kind === "locked")).toHaveLength(15);
      const right = (at: number, who = "eve") => people.approve(who, `hash of ${ann}`, as("p"), at);
      expect(await right(now + 1)).toEqual({ kind: "locked", until: now + LOCK_MS });
      expect(await other.lockedUntil("eve", now + LOCK_MS - 1)).toBe(now + LOCK_MS);
      expect(await other.lockedUntil("eve", now + LOCK_MS)).toBeNull();
      expect(await people.lockedUntil("somebody else", now)).toBeNull();
      expect(await right(now + 1, "somebody else")).toMatchObject({ kind: "approved" });
      expect(await right(now + LOCK_MS)).toEqual({ kind: "wrong", left: 4 });
    });

    it("counts wrong tries of every kind together", async () => {
      const wrong = [
        await people.approve("eve", "x", as("p"), now),
        await people.denyCode("eve", "x", now),
        await people.link("eve", "x", () => true, "p", now),
        await people.link("eve", "x", null, "p", now),
        await people.denyCode("eve", "x", now),
      ];
      expect(wrong.map((each) => each.kind === "wrong" && each.left)).toEqual([4, 3, 2, 1, 0]);
      expect(await people.link("eve", "x", () => true, "p", now)).toMatchObject({ kind: "locked" });
    });

    it("answers once a code, lets so many wait on a platform, and more when their time is over", async () => {
      const identities = Array.from({ length: MOST_WAITING + 1 }, (_, n) => `${HERE}:${n}`);
      const asked = await Promise.all(
        identities.map((identity, n) => (n % 2 ? people : other).ask(request(identity), now)),
      );
      expect(asked.filter((each) => each === "asked")).toHaveLength(MOST_WAITING);
      expect(asked).toContain("full");
      const [{ identity = "" } = {}] = await people.requests(now);
      expect(await people.ask(request(identity, "another hash"), now)).toBe("waiting");
      expect(await people.approve(owner, "another hash", as("p"), now)).toMatchObject({ kind: "wrong" });
      expect(await people.ask(request(away), now)).toBe("asked");
      const later = now + CODE_MS;
      expect(await people.ask({ ...request(bob), expiresAt: later + CODE_MS }, later)).toBe("asked");
      expect((await people.requests(later)).map((each) => each.identity)).toEqual([bob]);
    });

    it("keeps room for those who have not asked before, and forgets after a day that somebody did", async () => {
      const identities = Array.from({ length: MOST_AGAIN + 1 }, (_, n) => `${HERE}:${n}`);
      for (const identity of identities) await people.ask(request(identity), now);
      const later = now + CODE_MS;
      const again = (identity: string, at: number) =>
        people.ask({ ...request(identity), expiresAt: at + CODE_MS }, at);
      const asked: string[] = [];
      for (const identity of identities) asked.push(await again(identity, later));
      expect(asked.filter((each) => each === "asked")).toHaveLength(MOST_AGAIN);
      expect(asked.at(-1)).toBe("full");
      expect(await again(ann, later)).toBe("asked");
      await again(bob, now + CODE_MS + ASKED_MS);
      expect((await people.standing(identities.at(-1) ?? "", HERE, now)).request).toBeNull();
    });

    it("tells what is known of one who waits, and counts the answers", async () => {
      await people.ask(request(bob), now);
      await people.ask(request(ann), now);
      const standing = await people.standing(ann, HERE, now);
      expect(standing).toMatchObject({
        request: { identity: ann, denied: false },
        answers: 1,
        othersWaiting: 1,
      });
      const again = [1, 2, 3].map(() => people.answerAgain(ann, now));
      expect((await Promise.all(again)).filter(Boolean)).toHaveLength(2);
      expect(await people.answerAgain(ann, now + CODE_MS)).toBe(false);
      expect(await people.standing(`${HERE}:x`, HERE, now + CODE_MS)).toEqual({
        request: null,
        answers: 0,
        othersWaiting: 0,
      });
    });

    it("takes back a request that could not be answered, and no other", async () => {
      await people.ask(request(ann), now);
      await people.withdraw(ann, "another hash");
      expect(await people.requests(now)).toHaveLength(1);
      await people.withdraw(ann, `hash of ${ann}`);
      expect(await people.requests(now)).toEqual([]);
    });

    it("does not hear again of who was denied, until it forgets them", async () => {
      await people.ask(request(ann), now);
      await people.ask(request(bob), now);
      expect(await people.deny(ann, now)).toBe(true);
      expect(await people.deny(ann, now)).toBe(false);
      expect(await people.denyCode(owner, `hash of ${bob}`, now)).toEqual({ kind: "denied", identity: bob });
      expect(await people.approve(owner, `hash of ${ann}`, as("p"), now)).toMatchObject({ kind: "wrong" });
      const much = now + 100 * CODE_MS;
      expect(await people.ask(request(ann, "new"), much)).toBe("denied");
      expect((await people.requests(much)).map(({ denied }) => denied)).toEqual([true, true]);
      expect(await people.forget({ identity: ann })).toBe(1);
      expect(await people.ask(request(ann, "new"), much)).toBe("asked");
    });

    it("joins who types a code with who was shown it, once, and parts them as they were", async () => {
      await letIn(ann, "member");
      await people.showLink(ann, "old code", now + CODE_MS);
      await people.showLink(ann, "code", now + CODE_MS);
      expect(await other.link(away, "old code", () => true, "new", now)).toMatchObject({ kind: "wrong" });
      const linked = await other.link(away, "code", () => true, "new", now);
      expect(linked).toMatchObject({ kind: "linked", with: ann });
      expect(await identitiesOf(away)).toEqual([away, ann]);
      expect(await identitiesOf(ann)).toEqual([away, ann]);
      expect(await other.link(bob, "code", () => true, "new", now)).toMatchObject({ kind: "wrong" });

      expect(await people.unlink(away, "own", now)).toBe(true);
      expect(await identitiesOf(away)).toBeNull();
      expect(await people.find(ann)).toMatchObject({ identities: [{ identity: ann, role: "member" }] });
      expect(await people.unlink(ann, "own", now)).toBe(false);
      expect(await people.unlink(bob, "own", now)).toBe(false);
    });

    it("parts two who each had a role, and each has it again", async () => {
      await letIn(ann, "owner");
      await letIn(away, "guest");
      expect((await people.join(ann, away, "new", now)).identities).toEqual([
        { identity: away, role: "guest" },
        { identity: ann, role: "owner" },
      ]);
      expect(await people.list()).toHaveLength(1);
      await people.unlink(ann, "own", now);
      expect((await people.find(ann))?.identities).toEqual([{ identity: ann, role: "owner" }]);
      expect((await people.find(away))?.identities).toEqual([{ identity: away, role: "guest" }]);
    });

    it("leaves nothing behind of two that had no role of their own", async () => {
      await people.join(ann, away, "p", now);
      expect(await people.find(ann)).toMatchObject({ identities: [{ role: null }, { role: null }] });
      await people.unlink(away, "own", now);
      expect(await people.list()).toEqual([]);
    });

    it("asks whether two may be joined, and spends the code whatever the answer", async () => {
      await letIn(ann, "member");
      const asked: unknown[] = [];
      const no = (...sides: unknown[]) => {
        asked.push(sides);
        return false;
      };
      await people.showLink(ann, "code", now + CODE_MS);
      expect(await people.link(away, "code", no, "p", now)).toEqual({ kind: "refused" });
      expect(asked).toMatchObject([
        [{ identities: [{ role: "member" }] }, { identities: [{ identity: away }] }],
      ]);
      expect(await people.link(away, "code", () => true, "p", now)).toMatchObject({ kind: "wrong" });
      await people.showLink(ann, "seen", now + CODE_MS);
      expect(await people.link(away, "seen", null, "p", now)).toEqual({ kind: "refused" });
      await people.showLink(ann, "own", now + CODE_MS);
      expect(await people.link(ann, "own", () => true, "p", now)).toEqual({ kind: "same" });
      await people.showLink(ann, "late", now + CODE_MS);
      const late = await people.link(away, "late", () => true, "p", now + CODE_MS);
      expect(late).toMatchObject({ kind: "wrong" });
      expect(await identitiesOf(ann)).toEqual([ann]);
    });

    it("keeps codes of one kind from counting as the other", async () => {
      await people.ask(request(ann), now);
      await people.showLink(bob, "link code", now + CODE_MS);
      expect(await people.approve(owner, "link code", as("p"), now)).toMatchObject({ kind: "wrong" });
      expect(await people.link(away, `hash of ${ann}`, () => true, "p", now)).toMatchObject({
        kind: "wrong",
      });
    });

    it("gives roles, and forgets a person with all that they are", async () => {
      const { id } = await letIn(ann);
      await people.join(ann, away, "new", now);
      await people.showLink(away, "code", now + CODE_MS);
      expect(await people.setRole(id, "member")).toBe(true);
      expect((await other.find(away))?.identities.map(({ role }) => role)).toEqual(["member", "member"]);
      expect(await people.setRole("nobody", "owner")).toBe(false);
      await letIn(bob);
      expect(await people.forget({ personId: id })).toBe(2);
      expect(await people.forget({ personId: id })).toBe(0);
      expect(await other.find(ann)).toBeNull();
      expect(await other.find(away)).toBeNull();
      expect(await people.link(`${THERE}:eve`, "code", () => true, "p", now)).toMatchObject({
        kind: "wrong",
      });
      expect((await people.list()).map(({ identities }) => identities[0]?.identity)).toEqual([bob]);
      expect(await people.forget({ identity: bob })).toBe(1);
    });

    it("forgets with a person what was allowed them for good, and nothing of others", async () => {
      const { standing } = await fixture.open();
      const key = asSessionKey(`agent:main:${HERE}:dm:1`);
      const { id } = await letIn(ann);
      await people.join(ann, away, "new", now);
      for (const identity of [ann, away, bob, `${HERE}:eve`])
        await standing.add({ key, identity, digest: "d", shown: "x" }, now);
      await people.forget({ personId: id });
      expect((await standing.in(key)).map(({ identity }) => identity)).toEqual([bob, `${HERE}:eve`]);
      await people.forget({ identity: bob });
      expect((await standing.in(key)).map(({ identity }) => identity)).toEqual([`${HERE}:eve`]);
    });

    it("has one salt, whoever asks first", async () => {
      const salts = await Promise.all([people.salt("a"), other.salt("b"), people.salt("c")]);
      expect(new Set(salts).size).toBe(1);
      expect(await other.salt("d")).toBe(salts[0]);
    });
  });
}
