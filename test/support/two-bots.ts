/** Two bots of one platform that serve one store at this moment, for the same agent. */
import { join } from "node:path";
import { openStore } from "../../src/open-sessions.js";
import { processHolder } from "../../src/util/holder.js";

export async function twoBots(home: string): Promise<void> {
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  const lease = { holder: processHolder(), leaseMs: 3_600_000 };
  for (const account of ["one", "two"]) {
    const bot = { platform: "telegram", account };
    await store.accounts.take(bot, lease, null, Date.now());
    await store.accounts.write(bot, "agent", "main");
  }
  await sessions.close();
}
