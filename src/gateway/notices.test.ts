/** A long text is cut beside other work, and the pieces are those that it would have been cut into at once. */

import { expect, it, onTestFinished } from "vitest";
import { loadMarkdown } from "../delivery/split.js";
import { deliveryIdOf } from "../session/ids.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { Notices } from "./notices.js";

/** Two thousand short paragraphs, of which each measurement is counted, with what else had its turn by then. */
function setUp() {
  const measured: number[] = [];
  let others = 0;
  const adapter = new ScriptedAdapter();
  const lengthOf = (text: string): number => {
    measured.push(others);
    const busyUntil = performance.now() + 2;
    while (performance.now() < busyUntil);
    return text.length;
  };
  const counted = Object.assign(Object.create(adapter) as typeof adapter, {
    capabilities: { ...adapter.capabilities, lengthOf },
  });
  const goOn = (): void => {
    others += 1;
    timer = setImmediate(goOn);
  };
  let timer = setImmediate(goOn);
  onTestFinished(() => clearImmediate(timer));
  const text = "Some words of **Markdown**.\n\n".repeat(2_000);
  return { measured, platform: adapter.platform, notices: new Notices([counted], () => ""), text };
}

it("what was cut beforehand is not measured again, and is the same", async () => {
  const { measured, platform, notices, text } = setUp();
  await loadMarkdown();
  const atOnce = notices.piecesOf(platform, text);
  await notices.cut(platform, text);
  measured.length = 0;
  expect(notices.piecesOf(platform, text)).toEqual(atOnce);
  expect(measured).toEqual([]);
});

it("whatever is long is cut beside other work", async () => {
  const { measured, platform, notices, text } = setUp();
  const address = { platform, chatId: "1" } as const;
  const deliveries = await notices.to({ account: "a", address }, deliveryIdOf("id"), text);
  expect(deliveries.map((each) => each.text)).toEqual(notices.piecesOf(platform, text));
  expect(new Set(measured).size).toBeGreaterThan(1);
});
