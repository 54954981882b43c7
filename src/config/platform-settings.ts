/** The settings of each platform: those of its manifest, and those that every platform has. */
import { type Platform, platforms, platformTraits } from "../session/platform.js";
import { choice, type Settings, text, variableOf } from "../util/setting.js";
import type { Group, ValueOf } from "./groups.js";
import { isHomeChannel } from "./home-channel.js";

/** By platform; those that only a program can open have none. */
export function platformSettings(): ReadonlyMap<Platform, Settings> {
  return new Map(
    platforms().flatMap((platform) => {
      const { settings, like } = platformTraits(platform);
      return settings ? [[platform, { ...likeSetting(like), ...settings, ...common(platform) }]] : [];
    }),
  );
}

/** What makes a further bot one. */
function likeSetting(like: Platform | undefined): Settings {
  if (like === undefined) return {};
  const description = "The platform of which this is a further bot.";
  return { like: { ...choice([like], null, { description }, `write "like: ${like}"`), isRequired: true } };
}

export type CommonSettings = ValueOf<Group<ReturnType<typeof common>>>;

const HOME = 'give a chat\'s id, or chat:thread; a ":" inside an id becomes %3A';

function common(platform: Platform) {
  return {
    homeChannel: text(
      {
        description: "The chat to which handoffs to this platform go: its id, or `chat:thread`.",
        variable: `${platform.toUpperCase().replaceAll("-", "_")}_HOME_CHANNEL`,
      },
      {
        orNumber: true,
        error: HOME,
        refuse: (written) => (isHomeChannel(platform, written) ? null : HOME),
      },
    ),
    answer: choice(["addressed", "all"], "addressed", {
      description: "In groups: answer only messages to the bot, or every message.",
    }),
  };
}

/** The variables that set something of a platform. */
export function platformVariables(): string[] {
  return [...platformSettings()].flatMap(([platform, settings]) =>
    Object.entries(settings).map(([name, setting]) => variableOf(["platforms", platform, name], setting)),
  );
}
