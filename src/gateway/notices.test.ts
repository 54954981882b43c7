/** A long text is cut beside other work, and the pieces are those that it would have been cut into at once. */
import { expect, it } from "vitest";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { Notices } from "./notices.js";

it("what was cut beforehand is not measured again, and is the same", async () => {
  let measured = 0;
  const adapter = new ScriptedAdapter();
  const counting = {
    lengthOf: (text: string): number => {
      measured += 1;
      return text.length;
    },
  };
  const counted = Object.assign(Object.create(adapter) as typeof adapter, {
    capabilities: { ...adapter.capabilities, ...counting },
  });
  const text = "Some words of **Markdown**.\n\n".repeat(2_000);
  const atOnce = new Notices([counted], () => "").piecesOf(adapter.platform, text);
  const notices = new Notices([counted], () => "");
  await notices.cut(adapter.platform, text);
  measured = 0;
  expect(notices.piecesOf(adapter.platform, text)).toEqual(atOnce);
  expect(measured).toBe(0);
});
