/** What was found about a platform, what was answered, and what that changes: the part of its setup without a terminal. */
import type { Answers } from "../../../adapter/manifest.js";
import type { Platform } from "../../../session/platform.js";
import { type Question, variableOf } from "../../../util/setting.js";

/** What is known before the first question. */
export interface FoundPlatform {
  readonly platform: Platform;
  readonly title: string;
  /** The platform of which it is a further bot, if no file says so yet. */
  readonly like: Platform | null;
  readonly fields: readonly FoundField[];
  /** Its other settings that are no secrets, as far as they are set: another server, the port of a webhook. */
  readonly others: Answers;
  readonly home: FoundSetting;
  /** The ids in the settings, by role. */
  readonly people: Readonly<Record<AccessList, readonly string[]>>;
}

export interface FoundSetting {
  /** Its key in the settings. */
  readonly path: string;
  /** The variable that overrides the file. */
  readonly variable: string;
  readonly present: PresentSetting | null;
}

export interface FoundField extends FoundSetting {
  /** Its name among the platform's settings. */
  readonly key: string;
  readonly question: Question;
  /** It is not shown, and saved in a file of its own. */
  readonly isSecret: boolean;
  /** Its description in the settings. */
  readonly meaning: string;
}

export interface PresentSetting {
  readonly value: string;
  readonly isVariable: boolean;
  /** True if nobody has set it. */
  readonly isDefault: boolean;
  /** Words that are safe to show. */
  readonly from: string;
}

export type AccessList = "owners" | "allow";

export interface PlatformAnswers {
  /** By key; null leaves the setting as it is. */
  readonly typed: Readonly<Record<string, string | null>>;
  /** Null for none. */
  readonly home: string | null;
  readonly person: { readonly id: string; readonly role: AccessList } | null;
}

/** The file of a secret, from the home folder. */
function secretFileOf(platform: Platform, key: string): string {
  return `secrets/${platform}-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.key`;
}

function likeKey(platform: Platform): string {
  return `platforms.${platform}.like`;
}

/** What was answered and what is set, by key. */
export function answersOf({ fields }: FoundPlatform, typed: PlatformAnswers["typed"]): Answers {
  return Object.fromEntries(
    fields.flatMap(({ key, present }) => {
      const value = typed[key] ?? present?.value ?? null;
      return value === null ? [] : [[key, value]];
    }),
  );
}

/** Whether it is asked, given the other answers. */
export function isAsked({ question: { when } }: FoundField, answers: Answers): boolean {
  return when?.(answers) ?? true;
}

/** The values to check with the platform; null if one is missing. */
export function valuesOf(found: FoundPlatform, typed: PlatformAnswers["typed"] = {}): Answers | null {
  const answers = answersOf(found, typed);
  const asked = found.fields.filter((field) => isAsked(field, answers));
  if (asked.some(({ key, question }) => answers[key] === undefined && !question.labels)) return null;
  const given = asked.flatMap(({ key }) => (answers[key] === undefined ? [] : [[key, answers[key]]]));
  return { ...found.others, ...Object.fromEntries(given) };
}

/** The secrets to save, by file. */
export function secretsIn(
  { platform, fields }: FoundPlatform,
  { typed }: PlatformAnswers,
): Map<string, string> {
  return new Map(
    fields.flatMap(({ key, isSecret }) => {
      const value = typed[key] ?? null;
      return isSecret && value !== null ? [[secretFileOf(platform, key), value] as const] : [];
    }),
  );
}

/** The keys to set, undefined to remove; keys that stay as they are, are missing. */
export function platformChanges(found: FoundPlatform, answers: PlatformAnswers): Map<string, unknown> {
  const { platform, like, fields, home, people } = found;
  const changes = new Map<string, unknown>();
  if (like !== null) changes.set(likeKey(platform), like);
  for (const { key, isSecret, path } of fields) {
    const value = answers.typed[key] ?? null;
    if (value !== null) changes.set(path, isSecret ? { file: secretFileOf(platform, key) } : value);
  }
  if (answers.home !== (home.present?.value ?? null)) changes.set(home.path, answers.home ?? undefined);
  if (answers.person !== null) {
    const { id, role } = answers.person;
    if (!people[role].includes(id)) changes.set(`people.${role}.${platform}`, [...people[role], id]);
  }
  return changes;
}

/** The variables that still override what was saved. */
export function overriding({ fields }: FoundPlatform, { typed }: PlatformAnswers): string[] {
  return fields.flatMap(({ key, variable, present }) => {
    const value = typed[key] ?? null;
    return value !== null && present?.isVariable && present.value !== value ? [variable] : [];
  });
}

/** What to do if nobody can answer questions. */
export function platformInstructions(found: FoundPlatform): string[] {
  const { platform, title, like } = found;
  const fields = found.fields.filter((field) => isAsked(field, answersOf(found, {})));
  return [
    `${title} needs these settings. Set them in the environment or in config.yaml:`,
    ...(like === null
      ? []
      : [
          `  ${variableOf(likeKey(platform).split("."))}: makes it another bot of ${like}.`,
          `    baton config set ${likeKey(platform)} ${like}`,
        ]),
    ...fields.flatMap(({ key, question, isSecret, path, variable, meaning, present }) => {
      const value = isSecret
        ? `'{ file: ${secretFileOf(platform, key)} }'    # the file holds the secret; chmod 600`
        : Object.keys(question.labels ?? {}).join("|") || "<value>";
      return [
        `  ${variable}${stateOf(question, present)}: ${meaning}`,
        `    baton config set ${path} ${value}`,
      ];
    }),
    `Then run \`baton setup ${platform} --yes\` to check them with ${title}.`,
  ];
}

function stateOf({ labels }: Question, present: PresentSetting | null): string {
  if (present?.isDefault) return `, optional (default: ${present.value})`;
  if (present) return `, set (${present.from})`;
  return labels ? ", optional" : "";
}
