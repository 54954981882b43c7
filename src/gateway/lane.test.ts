import { expect, it } from "vitest";
import { Lane } from "./lane.js";
import type { InboxItem } from "./store.js";
import type { TurnRun } from "./turn-run.js";

const item = (id: number): InboxItem => ({ id }) as Partial<InboxItem> as InboxItem;

it("does not count as waiting what the agent has read, though it is not saved yet", () => {
  const lane = new Lane();
  lane.run = { unread: [item(3)], unsteered: [item(2), item(3)] } as Partial<TurnRun> as TurnRun;
  expect(lane.waiting).toBe(1);
  expect([2, 3].map((id) => lane.isWaiting(item(id)))).toEqual([false, true]);
});
