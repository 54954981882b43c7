/** What `/memory` says; what it changes is tested with the memory itself. */
import { expect, it } from "vitest";
import { openMemoryWorld } from "../../../test/support/memory-world.js";

it("says so if there is nothing to forget", async () => {
  const here = await openMemoryWorld();
  expect(await here.ann.ask("/memory forget all")).toBe(
    "I remember nothing about you, so there was nothing to remove.",
  );
  await here.close();
});
