/** What commands of the command line need over a store that is open: people, handoffs, jobs, and who has which account. */
import { userInfo } from "node:os";
import { TERMINAL_ACCOUNT } from "./adapter/terminal/terminal-source.js";
import type { OpenHandoffs, OpenJobs, OpenPeople } from "./cli/opened.js";
import type { PageLinks } from "./cli/opened-page.js";
import type { Config } from "./config/config.js";
import { homeChannelIn } from "./config/home-channel.js";
import { TERMINAL } from "./gateway/authorize.js";
import { HandoffDesk } from "./gateway/handoff/desk.js";
import { JobDesk } from "./gateway/jobs/desk.js";
import type { JobLimits } from "./gateway/jobs/options.js";
import { People } from "./gateway/people.js";
import { Places } from "./gateway/places.js";
import { knownAccounts, Served } from "./gateway/served.js";
import { servedAccounts, sharingTexts } from "./gateway/shared-accounts.js";
import { LINK_MS, makeLink, pageAddress } from "./gateway/web/links.js";
import type { StoreWithSessions } from "./open-sessions.js";
import type { HomeChannel } from "./session/context.js";
import { localSource } from "./session/source.js";

export function openPeople(config: Config, { store, sessions }: StoreWithSessions): OpenPeople {
  const people = new People(store.people, config.people, { clock: Date.now, groups: config.groups.byChat });
  const { spending, usage, jobs, memory, memoryCounts, devices } = store;
  return {
    people,
    devices,
    spending,
    usage,
    jobs,
    memory,
    memoryCounts,
    sessions,
    close: () => sessions.close(),
  };
}

/** Closes the store. */
export async function platformStates({ store: { accounts }, sessions }: StoreWithSessions) {
  try {
    const platforms = await knownAccounts(accounts, Date.now());
    return { platforms, sharing: sharingTexts(await servedAccounts(accounts, Date.now())) };
  } finally {
    await sessions.close();
  }
}

export function openPageLinks({ store: { accounts, devices }, sessions }: StoreWithSessions): PageLinks {
  return {
    address: async () =>
      (await pageAddress(new Served({ accounts, clock: Date.now }), accounts))?.url ?? null,
    make: async (identity, url) => {
      const now = Date.now();
      return {
        link: await makeLink(devices, { url }, { identity, alias: null, called: calledHere(identity) }, now),
        expiresAt: now + LINK_MS,
      };
    },
    close: () => sessions.close(),
  };
}

/** The person at this machine is called as they are here. */
function calledHere(identity: string): string | null {
  if (identity !== TERMINAL) return null;
  try {
    return userInfo().username;
  } catch {
    return null; // This user is in no list of the system, as in some containers.
  }
}

export function openHandoffs(config: Config, { store, sessions }: StoreWithSessions): OpenHandoffs {
  const { handoffs, accounts, devices } = store;
  const homeChannels = homeChannelsOf(config);
  const places = new Places({ sessions, accounts, devices, homeChannels, clock: Date.now });
  const waitMs = config.handoff.waitSeconds * 1_000;
  const desk = new HandoffDesk({ sessions, handoffs, places, waitMs, clock: Date.now });
  return { desk, sessions, handoffs, close: () => sessions.close() };
}

export function openJobs(config: Config, { store, sessions }: StoreWithSessions): OpenJobs {
  const { jobs, accounts, devices } = store;
  const homeChannels = homeChannelsOf(config);
  const places = new Places({ sessions, accounts, devices, homeChannels, clock: Date.now });
  const desk = new JobDesk({
    ...jobLimits(config),
    jobs,
    accounts,
    places,
    mayRunCommands: () => true,
    clock: Date.now,
  });
  const source = localSource();
  const origin = { key: sessions.laneOf(source).key, source, account: TERMINAL_ACCOUNT };
  return { desk, homes: places.homes, origin, close: () => sessions.close() };
}

export function jobLimits({ jobs, sessions }: Config): JobLimits {
  return {
    timeZone: sessions.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    timeoutMs: jobs.timeoutSeconds * 1_000,
    mostPerPerson: jobs.maxPerPerson,
  };
}

/** The home channels in the settings. */
export function homeChannelsOf({ platforms }: Config): readonly HomeChannel[] {
  return Object.entries(platforms).flatMap(([platform, { homeChannel }]) =>
    homeChannel === null ? [] : [homeChannelIn(platform, homeChannel)],
  );
}
