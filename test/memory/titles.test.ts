/** The first title of a session. */
import { afterEach, expect, it } from "vitest";
import { type Chat, World } from "../support/gateway-world.js";
import { SmallModel } from "../support/small-model.js";

let world: World;
let model: SmallModel | undefined;

async function open(titles: "model" | "words" | "none", title = "Tea in Japan"): Promise<Chat> {
  model = await SmallModel.start();
  model.title = title;
  world = await World.open({ titles, gateway: { agent: model.agent() } });
  return world.chat("ann");
}
afterEach(async () => {
  await world.close();
  await model?.close();
  model = undefined;
});

it("is made once by the model, from the first exchange, and counts for its person", async () => {
  const ann = await open("model");
  await ann.ask("**What** tea do they drink in Japan?");
  await world.upkeep.titles.idle();
  expect((await ann.session()).title).toBe("Tea in Japan");
  expect(model?.titled).toBe(1);
  const sums = await world.store.usage.sums({ kind: "person", identities: ["telegram:ann"] }, "day", {
    fromDay: "2026-01-01",
  });
  expect(sums[0]?.modelCalls).toBe(2);
  await ann.ask("/title");
  await ann.ask("And in China?");
  await world.upkeep.titles.idle();
  expect(model?.titled).toBe(1);

  // The next session gets a title of its own.
  await ann.ask("/new");
  await ann.ask("More tea?");
  await world.upkeep.titles.idle();
  expect((await ann.session()).title).toBe("Tea in Japan (2)");
});

it("is the first words if the model fails, and nobody's if a person gave one or nobody is to make one", async () => {
  let ann = await open("model");
  if (model) model.title = null;
  await ann.ask("What tea do they drink in Japan when guests come over for the afternoon?");
  await world.upkeep.titles.idle();
  expect((await ann.session()).title).toBe("What tea do they drink in Japan when guests come over for…");
  await ann.ask("/new Mine");
  await ann.ask("hello");
  await world.upkeep.titles.idle();
  expect((await ann.session()).title).toBe("Mine");
  await world.close();
  await model?.close();

  ann = await open("none");
  await ann.ask("hello");
  await world.upkeep.titles.idle();
  expect((await ann.session()).title).toBeNull();
});

it("is the first words of an agent without a model", async () => {
  world = await World.open({ titles: "model" });
  const bob = world.chat("bob");
  await bob.ask("hello there");
  await world.upkeep.titles.idle();
  expect((await bob.session()).title).toBe("hello there");
});

it("does not replace one that a person gave meanwhile", async () => {
  const ann = await open("words");
  await ann.ask("hello");
  await world.upkeep.titles.idle();
  const { sessionId } = await ann.session();
  await ann.ask("/title Ours");
  expect(await world.store.titles.rename(sessionId, "hello", "x", { identity: "", uses: [] }, 0)).toBe(false);
  expect(await world.store.titles.nameOnce(sessionId, "x")).toBeNull();
  expect((await ann.session()).title).toBe("Ours");
});
