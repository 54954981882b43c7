import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { showTyping } from "./typing.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const address = { platform: new ScriptedAdapter().platform, chatId: "ann" };

it("is shown at once, again before the platform forgets, and no more once it is over", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  await adapter.connect();
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
  await adapter.connect();
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
  await failing.connect();
  showTyping(failing, address);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
});

it("is nothing if there is none, or nobody is reached", async () => {
  const connected = new ScriptedAdapter();
  await connected.connect();
  const before = vi.getTimerCount();
  showTyping(connected, address);
  for (const adapter of [undefined, connected, new ScriptedAdapter()]) showTyping(adapter, address)();
  expect(vi.getTimerCount()).toBe(before);
});

it("is shown again by the next line, and missed in between", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  const end = showTyping(adapter, address);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(adapter.there.typed).toBe(0);
  await adapter.connect();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(adapter.there.typed).toBe(1);
  end();
});
