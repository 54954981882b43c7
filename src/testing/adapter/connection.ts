/** Connecting, losing the line, ending, and going on: nothing is lost and nothing comes twice. */
import { describe, expect, it, vi } from "vitest";
import { platforms } from "../../session/platform.js";
import type { Stage } from "./stage.js";

export function connectionCases(stage: Stage): void {
  it("says what it is, and can do what it says", async () => {
    const { platform, account, capabilities } = stage.adapter;
    await stage.connect();
    const { edit, createThread, typing } = stage.speaker;
    expect(platforms()).toContain(platform);
    expect(account).toMatch(/\S/);
    expect(Number.isSafeInteger(capabilities.maxText) && capabilities.maxText > 0).toBe(true);
    expect(["utf16", "bytes"]).toContain(capabilities.unit);
    expect(capabilities.edit).toBe(edit !== undefined);
    expect(capabilities.threads).toBe(createThread !== undefined);
    if (capabilities.threadsOnce) expect(createThread).toBeDefined();
    if (capabilities.typingMs !== undefined) expect(typing).toBeDefined();
    for (const amount of [capabilities.typingMs, capabilities.paceMs, capabilities.maxFile])
      if (amount !== undefined) expect(amount).toBeGreaterThan(0);
    expect(stage.fits("x".repeat(capabilities.maxText))).toBe(true);
    expect(stage.fits("x".repeat(capabilities.maxText + 1))).toBe(false);
  });

  describe("the connection", () => {
    const texts = (): string[] => stage.received.map(({ text }) => text);

    it("can be ended before it began, and twice", async () => {
      await stage.adapter.disconnect();
      await stage.connect();
      await stage.adapter.disconnect();
      await stage.adapter.disconnect();
    });

    it("brings nothing any more once it was ended", async () => {
      await stage.connect();
      await stage.hear({ text: "in time" });
      await stage.adapter.disconnect();
      await stage.fixture.write({ text: "too late" }).catch(() => {});
      expect(texts()).toEqual(["in time"]);
    });

    it("can be had again by the same adapter", async () => {
      await stage.connect();
      await stage.hear({ text: "one" });
      await stage.adapter.disconnect();
      await stage.connect();
      await stage.hear({ text: "two" });
      await stage.sendAll(["and back"]);
      expect(texts()).toEqual(["one", "two"]);
      await stage.expectShown(["and back"]);
    });

    it("is gone on with by the next process, which repeats and loses nothing", async ({ skip }) => {
      if (!stage.fixture.again) return skip("The server takes no second adapter.");
      await stage.connect();
      for (const text of ["one", "two"]) await stage.hear({ text });
      await stage.nextProcess();
      await stage.connect();
      for (const text of ["three", "four"]) await stage.hear({ text });
      expect(texts()).toEqual(["one", "two", "three", "four"]);
      await stage.sendAll(["and back"]);
      await stage.expectShown(["and back"]);
    });

    it("brings what was written while there was none", async ({ skip }) => {
      const why = stage.lacks("missed messages");
      if (why) return skip(why);
      if (!stage.fixture.again) return skip("The server takes no second adapter.");
      await stage.connect();
      await stage.hear({ text: "before" });
      await stage.nextProcess();
      for (const text of ["meanwhile", "and then"]) await stage.fixture.write({ text }).catch(() => {});
      await stage.connect();
      await stage.until(() => stage.received.length > 2);
      await stage.hear({ text: "after" });
      expect(texts()).toEqual(["before", "meanwhile", "and then", "after"]);
    });

    it("is had again when the line is cut", async ({ skip }) => {
      if (!stage.fixture.cut) return skip("The server cannot cut the line.");
      await stage.connect();
      await stage.hear({ text: "before" });
      const toldBefore = stage.told.length;
      await stage.fixture.cut();
      // What is written meanwhile comes later, or there is no use in writing before it was told.
      if (stage.lacks("missed messages"))
        await stage.until(() => stage.told.slice(toldBefore).at(-1) === "connected");
      await stage.hear({ text: "after" });
      await stage.until(() => stage.adapter.speaker !== null); // It may have come by the end of the line that was cut.
      await stage.sendAll(["and back"]);
      expect(texts()).toEqual(["before", "after"]);
      await stage.expectShown(["and back"]);
      for (const state of stage.told)
        if (state !== "connected") expect(Object.values(state).join()).toMatch(/\S+ \S+/);
      await stage.until(() => (stage.told.at(-1) ?? "connected") === "connected");
    });

    it("prints nothing", async ({ skip }) => {
      const why = stage.lacks("silence");
      if (why) return skip(why);
      const methods = ["log", "info", "warn", "error", "debug"] as const;
      const spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => {}));
      try {
        await stage.connect();
        await stage.hear({ text: "hello" });
        await stage.sendAll(["hello"]);
        await stage.adapter.disconnect();
        expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([]);
      } finally {
        for (const spy of spies) spy.mockRestore();
      }
    });
  });
}
