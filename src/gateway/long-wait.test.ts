/** A message that is to wait for longer than a timer can is waited for, not looked at without end. */

import { afterEach, expect, it, vi } from "vitest";
import { openDb } from "../open-sessions.js";
import { deliveryIdOf } from "../session/ids.js";
import { openSqlStore } from "../store/sql-store.js";
import { ScriptedAdapter } from "../testing/scripted-adapter.js";
import { processHolder } from "../util/holder.js";
import { Deliverer } from "./deliverer.js";

afterEach(() => {
  vi.useRealTimers();
});

it("forty days are waited for without a look at the outbox in between", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const store = await openSqlStore(await openDb("sqlite::memory:"), 0);
  const adapter = new ScriptedAdapter();
  await adapter.connect(async () => "accepted");
  const address = { platform: adapter.platform, chatId: "ann" };
  const holder = processHolder();
  const delivery = { deliveryId: deliveryIdOf("d1"), account: adapter.account, holder, address, text: "x" };
  await store.outbox.add([{ ...delivery, purpose: "reply", sessionId: null, shown: false }], 0);
  const [pending] = await store.outbox.pending(adapter, 1);
  const which = { id: pending?.id ?? 0, holder };
  await store.outbox.sending(which.id, holder);
  await store.outbox.retry(which, 40 * 86_400_000, "wait", 0);
  const looks = vi.spyOn(store.outbox, "nextDue");
  const deliverer = new Deliverer({
    surface: adapter,
    outbox: store.outbox,
    holder,
    clock: () => 0,
    steady: () => 0,
    onProblem: () => {},
    isReady: () => true,
    findFile: async () => null,
    giveUpAfterMs: 86_400_000,
    onFailed: () => {},
  });
  await deliverer.wake();
  await deliverer.idle();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks).toHaveBeenCalledTimes(1);
  await deliverer.stop();
  await store.close();
});
