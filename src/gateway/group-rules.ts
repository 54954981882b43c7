/** The rules of groups: what is meant for the agent there, what else it reads, and who may talk to it in one group. */
import type { InboundMessage } from "../adapter/adapter.js";
import { identityNamed } from "../session/access.js";
import type { SessionSource } from "../session/source.js";
import { ofChat } from "./busy.js";

export interface GroupRules {
  /** True if messages to others in this group are answered too. Default: none are. */
  readonly answersAll?: (source: SessionSource) => boolean;
  /** How many messages before a mention the agent reads. Default: none. */
  readonly context?: number;
  /** Whose: of people who have access, which is the default, or of everybody in the group. */
  readonly contextFrom?: "people" | "all";
  /** `follow`: who named the bot in a thread need not name it again there. Default: `mention`, each message must name it. */
  readonly threads?: "follow" | "mention";
  /** By `platform:chat`, as in `busy.byChat`. */
  readonly byChat?: Readonly<Record<string, GroupChatRules>>;
}

export interface GroupChatRules {
  /** Instead of what `answersAll` says. */
  readonly answer?: "addressed" | "all";
  /** Words that name the bot here. */
  readonly names?: readonly string[];
  /** The ids of the people who may talk to the agent here. Without it, everybody who has access may. */
  readonly people?: readonly string[];
}

/** Longer texts are not looked through to the end. */
const LOOKED_AT = 4_000;

/** True if the message is for the bot, as far as the group's rules say. */
export function isAddressedIn(
  rules: GroupRules,
  { isAddressed, source, text, forwarded }: InboundMessage,
): boolean {
  if (isAddressed !== false) return true;
  const { answer, names = [] } = ofChat(rules.byChat ?? {}, source) ?? {};
  if (answer === undefined ? rules.answersAll?.(source) : answer === "all") return true;
  const said = text.slice(0, LOOKED_AT).toLowerCase();
  return !forwarded && names.some((name) => hasWord(said, name.toLowerCase()));
}

/** The identities that may talk to the agent in this group; null if the group has no list. A private chat never has one. */
export function peopleIn(
  byChat: NonNullable<GroupRules["byChat"]>,
  source: SessionSource,
): ReadonlySet<string> | null {
  const { people } = (source.chatType === "dm" ? null : ofChat(byChat, source)) ?? {};
  return people ? new Set(people.map((id) => identityNamed(source.platform, id))) : null;
}

/** Whether the words stand in the text, and not inside of others. */
function hasWord(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    const around = [text[at - 1], text[at + words.length]];
    if (!around.some((sign) => sign !== undefined && /[\p{L}\p{N}_]/u.test(sign))) return true;
  }
  return false;
}
