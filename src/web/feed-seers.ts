/**
 * Who has the page open, each with what they may see now. People are remembered with the version of all people that is known
 * of them: one look at that version says whether what is remembered still holds.
 */
import type { SignedIn } from "../adapter/web/signed-in.js";
import { webSource } from "../adapter/web/web-source.js";
import type { Who } from "../gateway/authorize.js";
import type { Seen } from "../gateway/people.js";
import type { WebSetting } from "./setting.js";

export type Seeing = Pick<WebSetting["gateway"]["people"], "remembered" | "lookUp">;

export interface Seer {
  /** As whom they are signed in: the same for all of their streams. */
  readonly name: string;
  readonly who: Who;
}

/** Two browsers of the same name see the same. */
export function seerName({ identity, alias = null }: SignedIn): string {
  return JSON.stringify([identity, alias]);
}

/** Without those who have no access any more. */
export async function seersOf(streams: readonly SignedIn[], people: Seeing): Promise<readonly Seer[]> {
  const seers: Seer[] = [];
  let version: number | null = null;
  for (const [name, { identity, alias = null }] of new Map(streams.map((each) => [seerName(each), each]))) {
    const source = webSource(identity, null, null, alias);
    const remembered: Seen | null = version === null ? null : people.remembered(source);
    const holds = remembered !== null && remembered.peopleVersion === version;
    const seen: Seen = holds ? remembered : await people.lookUp(source);
    version = seen.peopleVersion;
    if (seen.access.allowed) seers.push({ name, who: seen.access });
  }
  return seers;
}
