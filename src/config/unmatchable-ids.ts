/** Ids of people in the configuration that can match nobody, such as a name where a platform has numbers. */
import { isPlatform, unmatchableId } from "../session/platform.js";
import type { Config } from "./load.js";

export interface UnmatchableId {
  /** The dotted key that it stands under. */
  readonly key: string;
  /** A sentence. */
  readonly message: string;
}

export function unmatchableIds({ people, tools, limits }: Pick<Config, "people" | "tools" | "limits">) {
  const listed = Object.entries({
    allow: people.allow,
    owners: people.owners,
    guests: people.guests,
  }).flatMap(([list, byPlatform]) =>
    Object.entries(byPlatform).flatMap(([platform, ids]) =>
      ids.map((id) => ({ key: `people.${list}.${platform}`, platform, id })),
    ),
  );
  const named = Object.entries({ tools: tools.byPerson, limits: limits.byPerson }).flatMap(
    ([group, byPerson]) =>
      Object.keys(byPerson).map((name) => {
        const colon = name.indexOf(":");
        return {
          key: `${group}.byPerson.${name}`,
          platform: name.slice(0, colon),
          id: name.slice(colon + 1),
        };
      }),
  );
  return [...listed, ...named].flatMap(({ key, platform, id }): UnmatchableId[] => {
    const message = isPlatform(platform) ? unmatchableId(platform, id) : null;
    return message === null ? [] : [{ key, message: `${key}: ${message}` }];
  });
}
