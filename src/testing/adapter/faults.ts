/** The way to the platform fails, as networks and proxies do: every message arrives once, or nobody knows, and it says why. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectError, type Letter, SendError } from "../../adapter/adapter.js";
import type { Fault } from "./fixture.js";
import { expectSentence, type Stage } from "./stage.js";

const MINUTE_MS = 60_000;
/** More would be no passing failure. */
const MOST_TRIES = 5;

type FaultOutcome = "sent" | SendError;

/** What was left open by a call that nobody answered. */
interface Doubt {
  failure: SendError | null;
}

export function faultCases(stage: Stage): void {
  describe("on a way that fails", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
    afterEach(() => void vi.useRealTimers());

    let canFind = false;
    const connect = async (): Promise<void> => {
      await stage.connect();
      canFind = stage.speaker.find !== undefined;
    };
    const letter = (text: string): Letter => stage.outbound(text, { writtenAt: Date.now() });

    /**
     * As the gateway delivers: what was certainly not taken is sent again. If nobody knows, the platform is asked, later
     * if it cannot be asked now. Null if it is to be tried again.
     */
    const attempt = async (message: Letter, doubt: Doubt): Promise<FaultOutcome | null> => {
      if (!doubt.failure) {
        const failure = await failureOf(stage.adapter.send(message));
        if (failure === null) return "sent";
        if (failure.outcome === "retryable") return null;
        doubt.failure = failure;
      }
      if (!canFind) return doubt.failure;
      const found = await stage.adapter.find(message).catch((thrown: unknown) => asFailure(thrown));
      if (found instanceof SendError) return null;
      if (found === null) return doubt.failure;
      doubt.failure = null;
      return found === "not there" ? null : "sent";
    };

    const deliver = async (message: Letter, doubt: Doubt = { failure: null }): Promise<FaultOutcome> => {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        await stage.until(() => stage.adapter.speaker !== null);
        const outcome = await attempt(message, doubt);
        if (outcome !== null) return outcome;
      }
      return expect.unreachable("It was never sent.");
    };

    /** Each of these is there once if it was sent, and at most once if nobody knows. Nothing else is. */
    const expectOnce = async (outcomes: ReadonlyMap<string, FaultOutcome>): Promise<void> => {
      const shown = [...(await stage.fixture.shown())];
      for (const [text, outcome] of outcomes) {
        const [is] = stage.asShown(text);
        const times = shown.filter((each) => each === is).length;
        if (outcome === "sent") expect([text, times]).toEqual([text, 1]);
        else expect([text, times <= 1, outcome.outcome]).toEqual([text, true, "unknown"]);
      }
      const texts = [...outcomes.keys()].flatMap((text) => stage.asShown(text));
      expect(shown.filter((each) => !texts.includes(each))).toEqual([]);
    };

    /** Meets the faults one after the other; then one goes through. */
    const through = async (faults: readonly Fault[]): Promise<void> => {
      await connect();
      const outcomes = new Map<string, FaultOutcome>();
      for (const fault of faults) {
        await stage.fixture.way?.(fault);
        outcomes.set(fault, await deliver(letter(fault)));
      }
      outcomes.set("at last", await deliver(letter("at last")));
      expect(outcomes.get("at last")).toBe("sent");
      await expectOnce(outcomes);
    };

    it("waits for a platform that cannot be reached for ten minutes, and then sends once and in order", async ({
      skip,
    }) => {
      const { fixture } = stage;
      if (!fixture.way) return skip("The way cannot fail here.");
      await connect();
      const outcomes = new Map<string, FaultOutcome>([["before", await deliver(letter("before"))]]);
      await fixture.way("unreachable");
      const [doubt, during, then] = [{ failure: null }, letter("during"), letter("and then")];
      // The first call may still find an open connection, and lose it: then nobody knows.
      let outcome = await attempt(during, doubt);
      for (let minute = 0; minute < 10; minute += 5) {
        expect((await failureOf(stage.adapter.send(then)))?.outcome).toBe("retryable");
        outcome ??= await attempt(during, doubt);
        vi.setSystemTime(Date.now() + 5 * MINUTE_MS);
      }
      expect(outcome).not.toBe("sent");
      await fixture.way("reachable");
      await stage.until(() => stage.adapter.speaker !== null);
      outcomes.set("during", outcome ?? (await deliver(during, doubt)));
      outcomes.set("and then", await deliver(then));
      expect(outcomes.get("and then")).toBe("sent");
      await expectOnce(outcomes);
    });

    it.for(["reset", "page", "silence"] as const)(
      "is not turned away for good if its first call meets this: %s",
      async (fault, { skip }) => {
        const { door } = stage.fixture;
        if (!door) return skip("The door cannot fail here.");
        const why = fault === "page" ? stage.lacks("pages at the door") : undefined;
        if (why) return skip(why);
        await door(fault);
        const error: unknown = await stage.connect().catch((thrown: unknown) => thrown);
        // A client may have tried again by itself.
        if (error !== undefined) {
          expect(error).toBeInstanceOf(ConnectError);
          const { outcome, message } = error as ConnectError;
          expect([outcome, message]).toEqual(["retryable", expect.not.stringMatching(/[<>]/)]);
          expectSentence(message);
          await stage.connect();
        }
        await stage.hear({ text: "at last" });
        await stage.sendAll(["and back"]);
        await stage.expectShown(["and back"]);
      },
    );

    it("loses nothing and sends nothing twice if connections are reset", async ({ skip }) => {
      if (!stage.fixture.way) return skip("The way cannot fail here.");
      await through(["reset", "reset after"]);
    });

    it("does not send again what was answered by half", async ({ skip }) => {
      if (!stage.fixture.way) return skip("The way cannot fail here.");
      await through(["half an answer"]);
    });

    it("takes a proxy's page for what it is", async ({ skip }) => {
      const why = stage.fixture.way ? stage.lacks("pages") : "The way cannot fail here.";
      if (why || !stage.fixture.way) return skip(why);
      await through(["page", "page after"]);
      await stage.fixture.way("page");
      const page = await failureOf(stage.send("a page"));
      expect(page?.outcome).not.toBe("permanent");
      expect(page?.message).toContain("502");
      await stage.fixture.way("page to wait");
      const wait = await failureOf(stage.send("too fast"));
      expect(wait?.outcome).toBe("retryable");
      expect(Math.floor((wait?.retryAfterMs ?? 0) / 1_000)).toBe(3);
    });

    it("gives a call up that is never answered, and does not send twice what was taken", async ({ skip }) => {
      const { fixture } = stage;
      const why = stage.spares("swallowed");
      if (why && !fixture.way) return skip(why);
      await connect();
      await fixture.way?.("silence");
      if (!why) await fixture.trouble?.("swallowed");
      const texts = [...(fixture.way ? ["not taken?"] : []), ...(why ? [] : ["taken?"])];
      const outcomes = new Map<string, FaultOutcome>();
      await Promise.all(texts.map(async (text) => outcomes.set(text, await deliver(letter(text)))));
      await expectOnce(outcomes);
      if (!why) expect(await fixture.shown()).toEqual(expect.arrayContaining([...stage.asShown("taken?")]));
    });
  });
}

async function failureOf(call: Promise<unknown>): Promise<SendError | null> {
  return call.then(
    () => null,
    (thrown: unknown) => asFailure(thrown),
  );
}

/** A failure with a sentence for people, in which there is nothing of a page. */
function asFailure(thrown: unknown): SendError {
  expect(thrown).toBeInstanceOf(SendError);
  const failure = thrown as SendError;
  expectSentence(failure.message);
  expect(failure.message).not.toMatch(/[<>]/);
  return failure;
}
