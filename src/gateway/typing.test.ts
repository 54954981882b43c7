import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { showTyping } from "./typing.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const address = { platform: new ScriptedAdapter().platform, chatId: "ann" };

it("is shown at once, again before the platform forgets, and no more once it is over", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  const end = showTyping(adapter, address);
  expect(adapter.there.typed).toBe(1);
  await vi.advanceTimersByTimeAsync(3_999);
  expect(adapter.there.typed).toBe(1);
  await vi.advanceTimersByTimeAsync(1 + 8_000);
  expect(adapter.there.typed).toBe(4);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(adapter.there.typed).toBe(4);
});

it("keeps to how long the platform shows it", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  const slow = Object.assign(adapter, { capabilities: { ...adapter.capabilities, typingMs: 25_000 } });
  showTyping(slow, address);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(adapter.there.typed).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(adapter.there.typed).toBe(2);
});

it("is not asked for again where the platform does not take it", async () => {
  let asked = 0;
  const failing = Object.assign(new ScriptedAdapter(), {
    typing: async () => {
      asked += 1;
      throw new Error("no such chat");
    },
  });
  showTyping(failing, address);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
});

it("is nothing where there is none", () => {
  for (const adapter of [undefined, new ScriptedAdapter()]) showTyping(adapter, address)();
  expect(vi.getTimerCount()).toBe(0);
});
