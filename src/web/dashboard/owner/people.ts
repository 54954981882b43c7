/**
 * GET /api/owner/people: who has access, and who asks for it. POST /api/owner/people/deny refuses somebody who asks, as the
 * command line does. To let somebody in takes their code, so that goes through the chat.
 */
import { TERMINAL } from "../../../gateway/authorize.js";
import type { People } from "../../../gateway/people.js";
import type { PairingRequest } from "../../../gateway/people-store.js";
import { parseIdentity } from "../../../session/access.js";
import { cleanLine } from "../../../util/text.js";
import { RefusedCall } from "../../asking.js";
import type { Routes } from "../../routes.js";
import type { WebSetting } from "../../setting.js";
import type { WirePeople } from "../../wire.js";

type PeopleRoutesSetting = Pick<WebSetting, "clock"> & {
  readonly gateway: Pick<WebSetting["gateway"], "people">;
};

const MOST = 2_000;
const MOST_REQUESTS = 500;

export function peopleRoutes(routes: Routes, { gateway: { people }, clock }: PeopleRoutesSetting): void {
  routes.getForOwners("/api/owner/people", async ({ now }): Promise<WirePeople> => {
    const requests = await people.store.requests(now);
    return {
      people: (await everybody(people)).slice(0, MOST),
      requests: requests.slice(0, MOST_REQUESTS).map(wireRequest),
    };
  });

  routes.postForOwners("/api/owner/people/deny", async (_, given) => {
    const identity = typeof given.identity === "string" ? parseIdentity(given.identity) : null;
    if (identity === null) throw new RefusedCall(400, "bad_request", "Name the account: `platform:id`.");
    return { done: await people.store.deny(identity, clock()) };
  });
}

/** The people in the store, then those who are only in the settings. */
async function everybody(people: People): Promise<WirePeople["people"]> {
  const { listed } = people;
  const known = (await people.store.list()).map((person) => {
    const identities = person.identities.map(({ identity }) => identity);
    return {
      id: person.id,
      name: person.name === null ? null : cleanLine(person.name),
      role: people.roleOf(person) ?? "none",
      identities,
      isListed: identities.some((identity) => listed.has(identity)),
    };
  });
  const kept = new Set(known.flatMap(({ identities }) => identities));
  const others = [...listed].filter(([identity]) => identity !== TERMINAL && !kept.has(identity));
  const onlyListed = others.map(([identity, role]) => ({
    ...{ id: identity, name: null, role, identities: [identity], isListed: true },
  }));
  return [...known, ...onlyListed];
}

/** They call themselves what they like. */
function wireRequest({ identity, called, askedAt, expiresAt, denied }: PairingRequest) {
  return {
    ...{ identity, askedAt, expiresAt, isDenied: denied },
    called: called === null ? null : cleanLine(called),
  };
}
