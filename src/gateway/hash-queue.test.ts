import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HashQueue } from "./hash-queue.js";

/** Work that ends when it is told to, and says how much of it ran at once. */
function workshop() {
  const begun: { readonly name: string; readonly end: () => void }[] = [];
  let running = 0;
  let most = 0;
  const work = (name: string) => async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((end) => begun.push({ name, end }));
    running -= 1;
    return name;
  };
  return { begun, work, most: () => most };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the queue of hashes", () => {
  it("never does two at once, turns strangers away when enough wait, and takes people who are let in first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 60, size: "max" }),
        async (strangers) => {
          const queue = new HashQueue();
          const { begun, work, most } = workshop();
          const results = strangers.map((isStranger, n) =>
            isStranger ? queue.runForStranger(work(`stranger ${n}`)) : queue.run(work(`known ${n}`)),
          );
          const order: string[] = [];
          for (;;) {
            await settled();
            const next = begun.shift();
            if (!next) break;
            order.push(next.name);
            next.end();
          }
          const outcomes = await Promise.all(results);
          expect(most()).toBe(1);
          expect(outcomes.filter((name) => name !== null).sort()).toEqual([...order].sort());
          strangers.forEach((isStranger, n) => {
            if (!isStranger) expect(outcomes[n]).toBe(`known ${n}`);
          });
          const [, ...waited] = order;
          expect(waited.filter((name) => name.startsWith("stranger")).length).toBeLessThanOrEqual(8);
          expect(waited.map((name) => name.split(" ")[0])).toEqual(
            waited.map((name) => name.split(" ")[0]).sort(),
          );
        },
      ),
    );
  });

  it("goes on after one that failed", async () => {
    const queue = new HashQueue();
    await expect(queue.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await queue.runForStranger(async () => 1)).toBe(1);
  });
});
