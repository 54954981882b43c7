/** What was found of a platform, what was answered, and what that changes: all of its set-up that needs no terminal. */
import type { Answers } from "../../../adapter/manifest.js";
import type { Platform } from "../../../session/platform.js";
import type { Question } from "../../../util/setting.js";

/** What is there before anything is asked. */
export interface FoundPlatform {
  readonly platform: Platform;
  readonly title: string;
  readonly fields: readonly FoundField[];
  /** Another server than the platform's own. */
  readonly baseUrl: string | null;
  readonly home: Found;
  /** Ids that the settings list, by what they are. */
  readonly people: Readonly<Record<Role, readonly string[]>>;
}

export interface Found {
  /** Its key in the settings. */
  readonly path: string;
  /** The variable that counts before the file. */
  readonly variable: string;
  readonly present: Present | null;
}

export interface FoundField extends Found {
  /** Its name among the platform's settings. */
  readonly key: string;
  readonly question: Question;
  /** It is not shown, and saved in a file of its own. */
  readonly isSecret: boolean;
  /** As the settings explain it. */
  readonly meaning: string;
}

export interface Present {
  readonly value: string;
  readonly isVariable: boolean;
  /** In words that may be shown. */
  readonly from: string;
}

export type Role = "owners" | "allow";

export interface PlatformAnswers {
  /** By key; null leaves the setting as it is. */
  readonly typed: Readonly<Record<string, string | null>>;
  /** Null for none. */
  readonly home: string | null;
  readonly person: { readonly id: string; readonly role: Role } | null;
}

/** The file of a secret, from the home folder. */
function secretFileOf(platform: Platform, key: string): string {
  return `secrets/${platform}-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.key`;
}

/** What the platform is asked with; null where something is missing. */
export function valuesOf(
  { fields, baseUrl }: FoundPlatform,
  typed: PlatformAnswers["typed"] = {},
): Answers | null {
  const values = fields.map(({ key, present }) => [key, typed[key] ?? present?.value ?? null]);
  if (values.some(([, value]) => value === null)) return null;
  return Object.fromEntries(baseUrl === null ? values : [...values, ["baseUrl", baseUrl]]);
}

/** The secrets to keep, by file. */
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

/** The keys to set, undefined to take away; what stays as it is is not in it. */
export function platformChanges(found: FoundPlatform, answers: PlatformAnswers): Map<string, unknown> {
  const { platform, fields, home, people } = found;
  const changes = new Map<string, unknown>();
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

/** The variables that go on counting before what was written down. */
export function overriding({ fields }: FoundPlatform, { typed }: PlatformAnswers): string[] {
  return fields.flatMap(({ key, variable, present }) => {
    const value = typed[key] ?? null;
    return value !== null && present?.isVariable && present.value !== value ? [variable] : [];
  });
}

/** What to do where nobody can be asked. */
export function platformInstructions({ platform, title, fields }: FoundPlatform): string[] {
  return [
    `Set what ${title} needs, in the environment or in the settings:`,
    ...fields.flatMap(({ key, isSecret, path, variable, meaning, present }) => {
      const state = present ? `, set (${present.from})` : "";
      const value = isSecret
        ? `'{ file: ${secretFileOf(platform, key)} }'    # the secret in that file, chmod 600`
        : "<value>";
      return [`  ${variable}${state}: ${meaning}`, `    baton config set ${path} ${value}`];
    }),
    `Then \`baton setup ${platform} --yes\` asks ${title} whether it is right.`,
  ];
}
