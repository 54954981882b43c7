/** What goes wrong is classed: tried again, never again, or nobody knows; and then it goes on. */
import { describe, expect, it } from "vitest";
import { ConnectError, SendError } from "../../adapter/adapter.js";
import type { Trouble } from "./fixture.js";
import type { Stage } from "./stage.js";

export function troubleCases(stage: Stage): void {
  describe("in trouble", () => {
    const failure = async (what: Trouble): Promise<SendError> => {
      await stage.connect();
      await stage.fixture.trouble?.(what);
      const error = await stage.send("lost?").then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(SendError);
      expectSentence((error as SendError).message);
      return error as SendError;
    };

    it("waits as long as it is told where it was too quick, and goes on", async ({ skip }) => {
      const why = stage.spares("rate limited");
      if (why) return skip(why);
      const { outcome, retryAfterMs } = await failure("rate limited");
      expect(outcome).toBe("retryable");
      expect(retryAfterMs).toBeGreaterThan(0);
      expect(Number.isFinite(retryAfterMs)).toBe(true);
      await stage.send("after");
      await stage.expectShown(["after"]);
    });

    it("gives up nothing for good that a server broke on, and goes on", async ({ skip }) => {
      const why = stage.spares("server error");
      if (why) return skip(why);
      expect(["retryable", "unknown"]).toContain((await failure("server error")).outcome);
      await stage.send("after");
      await stage.expectShown(["after"]);
    });

    it("never tries again what was refused", async ({ skip }) => {
      const why = stage.spares("refused");
      if (why) return skip(why);
      expect((await failure("refused")).outcome).toBe("permanent");
      await stage.send("after");
      await stage.expectShown(["after"]);
    });

    it("does not know of what was taken without a word, unless the same twice is there once", async ({
      skip,
    }) => {
      const why = stage.spares("swallowed");
      if (why) return skip(why);
      await stage.connect();
      await stage.fixture.trouble?.("swallowed");
      const message = stage.outbound("lost?");
      const error = await stage.adapter.send(message).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(SendError);
      const { outcome } = error as SendError;
      expect(["unknown", "retryable"]).toContain(outcome);
      if (outcome === "retryable") await stage.adapter.send(message);
      await stage.expectShown(["lost?"]);
    });

    it("finds what was taken without a word", async ({ skip }) => {
      const why = stage.spares("swallowed");
      if (why) return skip(why);
      const { adapter, fixture } = stage;
      await stage.connect();
      if (!stage.speaker.find) return skip("The platform cannot be asked.");
      await fixture.trouble?.("swallowed");
      const message = stage.outbound("lost?");
      await expect(adapter.send(message)).rejects.toBeInstanceOf(SendError);
      const found = await adapter.find(message);
      expect(found).not.toBe("not there");
    });

    it("says of a revoked token which setting to mend, and is not tried again", async ({ skip }) => {
      const why = stage.spares("revoked token");
      if (why) return skip(why);
      await stage.fixture.trouble?.("revoked token");
      const error = await stage.connect().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ConnectError);
      const { outcome, message } = error as ConnectError;
      expect(outcome).toBe("permanent");
      expectSentence(message);
      await expect(stage.send("no")).rejects.toBeInstanceOf(SendError);
    });

    it("sends nothing with a token that was revoked meanwhile, and says so", async ({ skip }) => {
      const why = stage.spares("revoked token");
      if (why) return skip(why);
      const { outcome } = await failure("revoked token");
      expect(["permanent", "retryable"]).toContain(outcome);
      await stage.expectShown([]);
    });
  });
}

/** For people: words on one line, no trace of where in the code it was. */
function expectSentence(message: string): void {
  expect(message).toMatch(/\S+ \S+/);
  expect(message).not.toMatch(/\n\s+at /);
}
