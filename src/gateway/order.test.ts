/** Messages of a chat are answered in the order in which they were accepted, also where some were left meanwhile. */
import { afterEach, expect, it } from "vitest";
import { World } from "../../test/support/gateway-world.js";
import { processHolder } from "../util/holder.js";

const ME = processHolder();
let world: World;
afterEach(() => world.close());

it.each([
  ["was left with the account", ""],
  ["was kept without this process hearing of it", ME],
])("a message waits for an older one that %s", async (_, holder) => {
  world = await World.open({ shared: false, gateway: { leaseMs: 600_000, holder: ME } });
  const chat = world.chat("ann");
  const { platform, account } = world.adapter;
  const { source, key } = chat;
  const kept = {
    platform,
    account,
    kind: "message",
    source,
    key,
    messageId: "older",
    text: "older",
  } as const;
  await world.store.inbox.accept(kept, holder, world.now);
  await chat.write("younger");
  await chat.next(1);
  expect(chat.told).toEqual(["older (1)", "younger (3)"]);
});
