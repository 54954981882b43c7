/**
 * A platform's manifest: all that Baton knows of a platform before its client library is loaded. `registerPlatform` takes
 * it. The configuration, `baton setup`, the gateway and the documentation follow from it, so a platform is one folder and
 * one line in platforms.ts; a package of somebody else's calls `registerPlatform` itself.
 */
import { type Platform, type PlatformTraits, platformTraits } from "../session/platform.js";
import type { Secret } from "../util/secret.js";
import { type Question, type Setting, type Settings, variableOf } from "../util/setting.js";
import type { Adapter, PlatformLimits } from "./adapter.js";
import { renamedAdapter, saidAs } from "./renamed-adapter.js";

export interface PlatformManifest<S extends Settings = Settings> extends PlatformTraits {
  readonly limits: PlatformLimits;
  /** How it is reached. Settings with a question are needed, unless `needs` says otherwise. */
  readonly settings: S;
  /** What to do at the platform before `baton setup` asks, in order. */
  readonly steps: readonly string[];
  /**
   * Asks the platform whose the answers are; also given the other settings that are set and no secrets, such as `baseUrl`.
   * Fails with a `ConnectError`: permanent if a value is wrong, else if nobody answers. No secret is in it.
   */
  check(answers: Answers): Promise<SetupFound>;
  /** The settings that it cannot be opened without; none of them set means that nobody wants this platform. */
  needs?(settings: Given<S>): readonly string[];
  /** Calls nobody yet: connecting shows whether the settings are right. `folder` is for files of its own. */
  open(settings: Given<S>, folder: string): Promise<Adapter>;
  /** Makes this machine one of an account's devices, for platforms that want that. */
  readonly link?: Linking<S>;
}

interface Linking<S extends Settings> {
  isFor(settings: Given<S>): boolean;
  /** What to set first, said to somebody whose settings it is not for. */
  readonly first: string;
  /** Tells a person by `say` what to do. `columns`: the width of their terminal; 0 if they have none. */
  begin(
    settings: Given<S>,
    folder: string,
    say: (line: string) => void,
    end: AbortSignal,
    columns: number,
  ): Promise<void>;
}

/** The settings as an adapter takes them: each secret as a function that reads it, and nothing that is not set. */
export type Given<S extends Settings> = {
  readonly [Key in keyof S as IsSure<S[Key]> extends true ? Key : never]: Plain<SettingValue<S[Key]>>;
} & {
  readonly [Key in keyof S as IsSure<S[Key]> extends true ? never : Key]?: Plain<SettingValue<S[Key]>>;
};

type SettingValue<S> = S extends Setting<infer V> ? V : never;
type IsSure<S> = S extends { readonly question: Question }
  ? true
  : null extends SettingValue<S>
    ? false
    : true;
type Plain<V> = unknown extends V ? unknown : Secret extends V ? () => string : NonNullable<V>;

/** By the names of the settings. */
export type Answers = Readonly<Record<string, string>>;

export interface SetupFound {
  /** Whose it is: `@baton_bot (424242)`. */
  readonly who: string;
  /** What is left to do there. */
  readonly next: readonly string[];
}

/** How long `check` waits for an answer while somebody sits there. */
export const CHECK_MS = 10_000;

/** Lets TypeScript find out what `open` is given from the settings. */
export function manifest<const S extends Settings>(described: PlatformManifest<S>): PlatformManifest<S> {
  return described;
}

/** Null for a platform that only has traits: a program brings its adapter. */
export function manifestOf(platform: Platform): PlatformManifest | null {
  const traits = platformTraits(platform);
  if (!("open" in traits)) return null;
  const described = traits as PlatformManifest;
  return traits.like === undefined ? described : ofFurtherBot(described, platform, traits.like);
}

/** What a platform accepts, as far as it says; null if it says nothing. */
export function limitsOfPlatform(platform: Platform): PlatformLimits | null {
  const traits: PlatformTraits & { readonly limits?: PlatformLimits } = platformTraits(platform);
  return traits.limits ?? null;
}

/** Its adapter has the name of the further bot, and what is said of settings is about those of the further bot. */
function ofFurtherBot(described: PlatformManifest, platform: Platform, like: Platform): PlatformManifest {
  const { link } = described;
  const inWords = wordsOf(platform, like);
  return {
    ...described,
    check: (answers) => saidAs(inWords, described.check(answers)),
    open: async (settings, folder) =>
      renamedAdapter(await saidAs(inWords, described.open(settings, folder)), platform, inWords),
    ...(link && {
      link: {
        isFor: (settings) => link.isFor(settings),
        first: inWords(link.first),
        begin: (settings, folder, say, ...rest) =>
          saidAs(
            inWords,
            link.begin(settings, folder, (line) => say(inWords(line)), ...rest),
          ),
      },
    }),
  };
}

/** A sentence about a platform's variables and commands, about those of a further bot. */
function wordsOf(platform: Platform, like: Platform): (sentence: string) => string {
  const variables = Object.entries(platformTraits(like).settings ?? {}).map(([name, setting]) => ({
    from: new RegExp(`\\b${variableOf(["platforms", like, name], setting)}\\b`, "g"),
    to: variableOf(["platforms", platform, name]),
  }));
  const command = new RegExp(`(\\bbaton (?:setup|gateway link)) ${like}\\b(?!-)`, "g");
  return (sentence) =>
    variables
      .reduce((text, { from, to }) => text.replace(from, to), sentence)
      .replace(command, `$1 ${platform}`);
}
