/** The desks that move conversations between lanes, over a store that is open. */
import type { OpenLanes } from "./cli/opened.js";
import type { Config } from "./config/config.js";
import { severalPeople } from "./config/shared-dms.js";
import { LaneDesk } from "./gateway/lane-desk.js";
import { People } from "./gateway/people.js";
import { RescopeDesk } from "./gateway/rescope-desk.js";
import { strandedLanes } from "./gateway/scope-memory.js";
import type { StoreWithSessions } from "./open-sessions.js";

export function openLanes(config: Config, { store, sessions }: StoreWithSessions): OpenLanes {
  const { lanes, accounts } = store;
  const scopes = config.sessions.scopes ?? {};
  const clock = Date.now;
  const people = new People(store.people, config.people, { clock });
  const moves = new LaneDesk({ sessions, lanes, accounts, people, scopes, clock });
  return {
    sessions,
    moves,
    rescope: async (fromAgents) => {
      const known = (await store.people.list()).flatMap(({ identities }) => identities);
      const identities = known.map(({ identity }) => identity);
      const severalOn = [...severalPeople(config, identities).keys()];
      return new RescopeDesk({ lanes, accounts, scopes, severalOn, clock }, fromAgents);
    },
    stranded: () => strandedLanes(lanes, scopes),
    close: () => sessions.close(),
  };
}
