/** Long work of a command, told to the others who use its store. Whatever is wrong with the store, the work is done. */
import { type ToldWork, toldWork, UNTOLD } from "./gateway/told-work.js";
import type { NewWork } from "./gateway/work.js";
import type { StoreWithSessions } from "./open-sessions.js";
import { processHolder } from "./util/holder.js";

/** Its end closes the store. */
export async function openWork(opening: Promise<StoreWithSessions>, begun: NewWork): Promise<ToldWork> {
  const opened = await opening.catch(() => null);
  if (!opened) return UNTOLD;
  const { store, sessions } = opened;
  const told = await toldWork({ work: store.work, holder: processHolder(), clock: Date.now }, begun);
  return {
    tell: told.tell,
    end: async (outcome) => {
      await told.end(outcome);
      await sessions.close();
    },
  };
}
