/** PostgreSQL with damaged data: nothing more is taken, each chat is told once, and all is answered once it is mended. */
import { renameSync, rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { World } from "../../test/support/gateway-world.js";
import { type Postgres, startPostgres } from "../../test/support/postgres.js";
import { filesOf, fillPage, keep } from "../../test/support/postgres-damage.js";
import { openPostgres } from "../store/postgres/db.js";
import { openSqlStore } from "../store/sql-store.js";

const PROMISE = expect.stringMatching(/^I can't save anything right now.*I will answer when I can/);

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());

/** What becomes of a file of `messages`: of the table or of its indexes. */
const damages: [string, "table" | "indexes", (file: string) => void][] = [
  ["a page of conversations is damaged", "table", (file) => fillPage(file, 0xff)], // XX001
  ["a page of their index is damaged", "indexes", (file) => fillPage(file, 0)], // XX002
  ["a file of them is gone", "table", rmSync], // 58P01
];

it.each(damages)(
  "takes nothing more where %s, tells each chat once, and answers when it is mended",
  async (_, which, damage) => {
    const db = await openPostgres(await server.createDatabase());
    const store = await openSqlStore(db, 0);
    const world = await World.open({ on: store, can: ["redelivers"] });
    const [ann, bob] = [world.chat("ann"), world.chat("bob")];
    expect(await ann.ask("before")).toBe("before (1)");
    const files = await filesOf(db, "messages", which);
    await server.whileDown(() => {
      for (const file of files) {
        keep(file);
        damage(file);
      }
    });

    await ann.write("during"); // The inbox is whole.
    expect(await ann.next(1)).toEqual(PROMISE);
    for (const chat of [ann, bob, bob]) {
      await expect(chat.write("more")).rejects.toMatchObject({ code: "store_corrupt" });
    }
    expect(await bob.next(0)).toEqual(PROMISE);
    expect(ann.told).toHaveLength(2);
    expect(bob.told).toHaveLength(1);

    await server.whileDown(() => {
      for (const file of files) renameSync(`${file}.whole`, file);
    });
    expect(await ann.next(2)).toBe("during (3)");
    expect(await bob.ask("again")).toBe("again (1)");
    await world.close();
    await store.close();
  },
  60_000,
);
