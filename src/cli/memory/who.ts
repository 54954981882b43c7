/** Whose memory a command is about, as it is typed: another person, or a group chat. */
import { InvalidArgumentError } from "commander";
import { chatOf } from "../../session/access.js";
import { unescapePart } from "../../util/escape.js";
import { platform } from "../options.js";
import { EXAMPLE_IDENTITY, whom } from "../people/who.js";

export type Whose =
  | { readonly kind: "person"; readonly who: string }
  | { readonly kind: "chat"; readonly chat: string };

const CHAT = "chat:";

/** As it is typed: `p_…`, `platform:user`, or `chat:platform:chat`. */
export function whose(text: string): Whose {
  if (!text.startsWith(CHAT)) return { kind: "person", who: whom(text) };
  const [, name = "", id = ""] = /^([^:]*):(.+)$/s.exec(text.slice(CHAT.length)) ?? [];
  if (id === "")
    throw new InvalidArgumentError(`Use chat:<platform>:<chat id>, such as chat:${EXAMPLE_IDENTITY}.`);
  return { kind: "chat", chat: chatOf({ platform: platform(name), chatId: unescapePart(id) ?? id }) };
}
