import { describe, expect, it } from "vitest";
import { Inflow } from "./inflow.js";

describe("what comes in", () => {
  it("counts as read only up to the first event that is still being worked on", async () => {
    const inflow = new Inflow();
    inflow.beginAt(10);
    const first = gate();
    const second = gate();
    inflow.add("a", () => first.passed, 11);
    inflow.add("b", () => second.passed, 12);
    inflow.pass(13);
    expect(inflow.readUpTo).toBe(10);
    second.open();
    await settled();
    expect(inflow.readUpTo).toBe(10);
    first.open();
    await settled();
    expect(inflow.readUpTo).toBe(13);
  });

  it("is taken in order within a channel, and channels do not wait for each other", async () => {
    const inflow = new Inflow();
    const order: string[] = [];
    const slow = gate();
    inflow.add("a", async () => {
      await slow.passed;
      order.push("a1");
    });
    inflow.add("a", async () => void order.push("a2"));
    inflow.add("b", async () => void order.push("b1"));
    await settled();
    expect(order).toEqual(["b1"]);
    slow.open();
    await settled();
    expect(order).toEqual(["b1", "a1", "a2"]);
  });

  it("is left as it is once it was stopped", async () => {
    const inflow = new Inflow();
    const order: string[] = [];
    inflow.add("a", () => Promise.reject(new Error("not now")), 1);
    inflow.add("a", async () => void order.push("overtaken"), 2);
    await settled();
    inflow.stop();
    inflow.add("a", async () => void order.push("too late"), 3);
    await settled();
    expect(order).toEqual([]);
    expect(inflow.readUpTo).toBe(0);
  });
});

function gate(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Everything that does not wait for anything has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
