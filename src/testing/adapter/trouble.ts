/** What goes wrong is classed: tried again, never again, or nobody knows; and then it goes on. */
import { describe, expect, it } from "vitest";
import { ConnectError, SendError } from "../../adapter/adapter.js";
import type { Trouble } from "./fixture.js";
import { expectSentence, type Stage } from "./stage.js";

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
