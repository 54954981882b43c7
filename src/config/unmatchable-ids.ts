/** Ids of people and chats in the configuration that can match nobody, such as a name where a platform has numbers. */
import { isPlatform, unmatchableChat, unmatchableId } from "../session/platform.js";
import { unescapePart } from "../util/escape.js";
import type { Config } from "./config.js";
import { addressIn } from "./home-channel.js";

export interface UnmatchableId {
  /** The dotted key that it stands under. */
  readonly key: string;
  /** A sentence. */
  readonly message: string;
  /** What to do. */
  readonly fix: string;
}

interface WrittenId {
  readonly key: string;
  readonly platform: string;
  readonly id: string;
}

type SettingsWithIds = Pick<Config, "people" | "tools" | "limits" | "busy" | "groups" | "platforms">;

export function unmatchableIds(config: SettingsWithIds): UnmatchableId[] {
  return [
    ...mistakes(
      [...listed(config), ...named(config), ...inGroups(config)],
      unmatchableId,
      "write their id there; /whoami in a chat shows it",
    ),
    ...mistakes(
      chats(config),
      unmatchableChat,
      "write the chat's id there; `baton logs` shows it with each message",
    ),
  ];
}

function mistakes(
  ids: readonly WrittenId[],
  mistakeIn: (platform: string, id: string) => string | null,
  fix: string,
): UnmatchableId[] {
  return ids.flatMap(({ key, platform, id }) => {
    const message = isPlatform(platform) ? mistakeIn(platform, id) : null;
    return message === null ? [] : [{ key, message: `${key}: ${message}`, fix }];
  });
}

function listed({ people }: SettingsWithIds): WrittenId[] {
  const { allow, owners, guests } = people;
  return Object.entries({ allow, owners, guests }).flatMap(([list, byPlatform]) =>
    Object.entries(byPlatform).flatMap(([platform, ids]) =>
      ids.map((id) => ({ key: `people.${list}.${platform}`, platform, id })),
    ),
  );
}

function named({ tools, limits }: SettingsWithIds): WrittenId[] {
  const groups = { "tools.byPerson": tools.byPerson, "limits.byPerson": limits.byPerson };
  return Object.entries(groups).flatMap(([group, byPerson]) =>
    Object.keys(byPerson).map((name) => nameIn(group, name)),
  );
}

/** The people of one group are on its platform. */
function inGroups({ groups }: SettingsWithIds): WrittenId[] {
  return Object.entries(groups.byChat).flatMap(([chat, { people = [] }]) => {
    const { key, platform } = nameIn("groups.byChat", chat);
    return people.map((id) => ({ key: `${key}.people`, platform, id }));
  });
}

function chats({ busy, groups, platforms }: SettingsWithIds): WrittenId[] {
  const homes = Object.entries(platforms).flatMap(([platform, { homeChannel }]) =>
    homeChannel === null
      ? []
      : [{ key: `platforms.${platform}.homeChannel`, platform, id: addressIn(platform, homeChannel).chatId }],
  );
  const byChat = { "busy.byChat": busy.byChat, "groups.byChat": groups.byChat };
  const written = Object.entries(byChat).flatMap(([group, named]) =>
    Object.keys(named).map((name) => {
      const { id, ...rest } = nameIn(group, name);
      return { ...rest, id: unescapePart(id) ?? id };
    }),
  );
  return [...written, ...homes];
}

/** Of `<platform>:<id>`. */
function nameIn(group: string, name: string): WrittenId {
  const colon = name.indexOf(":");
  return { key: `${group}.${name}`, platform: name.slice(0, colon), id: name.slice(colon + 1) };
}
