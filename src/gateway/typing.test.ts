import { beforeEach, expect, it } from "vitest";
import { PassingTime } from "../../test/support/passing-time.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { showTyping } from "./typing.js";

let time: PassingTime;
beforeEach(() => {
  time = new PassingTime();
});

const address = { platform: new ScriptedAdapter().platform, chatId: "ann" };

it("is shown after a moment, again before the platform forgets, and no more once it is over", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  await adapter.connect();
  const end = showTyping(adapter, address, time.later);
  await time.pass(799);
  expect(adapter.there.typed).toBe(0);
  await time.pass(1);
  expect(adapter.there.typed).toBe(1);
  await time.pass(3_999);
  expect(adapter.there.typed).toBe(1);
  await time.pass(1 + 8_000);
  expect(adapter.there.typed).toBe(4);
  end();
  await time.pass(60_000);
  expect(adapter.there.typed).toBe(4);
});

it("keeps to how long the platform shows it", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  await adapter.connect();
  const slow = Object.assign(adapter, { capabilities: { ...adapter.capabilities, typingMs: 25_000 } });
  showTyping(slow, address, time.later);
  await time.pass(800 + 19_999);
  expect(adapter.there.typed).toBe(1);
  await time.pass(1);
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
  showTyping(failing, address, time.later);
  await time.pass(60_000);
  expect([asked, time.waiting]).toEqual([1, 0]);
});

it("is nothing if there is none, or the answer is there within a moment", async () => {
  const connected = new ScriptedAdapter();
  await connected.connect();
  showTyping(connected, address, time.later);
  await time.pass(60_000);
  const typing = new ScriptedAdapter({ can: ["typing"] });
  await typing.connect();
  for (const adapter of [undefined, typing, new ScriptedAdapter()]) {
    const end = showTyping(adapter, address, time.later);
    await time.pass(799);
    end();
  }
  expect([typing.there.typed, time.waiting]).toEqual([0, 0]);
});

it("is shown again by the next line, and missed in between", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  const end = showTyping(adapter, address, time.later);
  await time.pass(8_000);
  expect(adapter.there.typed).toBe(0);
  await adapter.connect();
  await time.pass(4_000);
  expect(adapter.there.typed).toBe(1);
  end();
});

it("is not shown while a person is waited for", async () => {
  const adapter = new ScriptedAdapter({ can: ["typing"] });
  await adapter.connect();
  let isWaiting = true;
  const end = showTyping(adapter, address, time.later, () => isWaiting);
  await time.pass(60_000);
  expect(adapter.there.typed).toBe(0);
  isWaiting = false;
  await time.pass(4_000);
  expect(adapter.there.typed).toBe(1);
  end();
});
