/** Sessions in which nothing has happened for long, read in pages by an index: those that go on are not touched. */
import type { ExpiryRule } from "./reset-policy.js";
import type { SessionEntry } from "./session.js";
import type { SessionReader } from "./store.js";

const PAGE = 200;

export async function* idleSessions(
  reader: Pick<SessionReader, "idleSince">,
  rules: readonly ExpiryRule[],
): AsyncGenerator<SessionEntry> {
  for (const rule of rules) {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await reader.idleSince(rule, PAGE, cursor);
      yield* page.items;
      cursor = page.nextCursor;
    }
  }
}
