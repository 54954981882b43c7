/** What a post says: its words, its files and what else it has. */
import { type Part, part } from "../../session/parts.js";
import type { RemoteFile } from "../adapter.js";
import { field, listIn, numberIn, textIn } from "../untrusted.js";

/** A file as the server names it. */
export interface MattermostFile {
  readonly id: string;
  readonly name: string | undefined;
  readonly mediaType: string;
  /** Somebody spoke it. */
  readonly voice?: true;
}

export interface MattermostSaid {
  readonly words: string;
  readonly files: readonly RemoteFile[];
  readonly parts: readonly Part[];
}

const ID = /^[a-z0-9]{26}$/;
/** Posts that people write as any other. */
const USUAL = new Set(["", "me", "slack_attachment"]);
/** Of the plugin for voice messages. */
const VOICE = "custom_voice";

export function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

/** Null for a notice of the server's own. */
export function saidIn(post: unknown, file: (file: MattermostFile) => RemoteFile): MattermostSaid | null {
  const type = textIn(post, "type") ?? "";
  if (type.startsWith("system_")) return null;
  const words = textIn(post, "message") ?? "";
  const spoken = type === VOICE ? ({ voice: true } as const) : {};
  const files = filesIn(post).map((each) => file({ ...each, ...spoken }));
  const known = [
    ...(type === "custom_calls" ? [part("call")] : []),
    ...listIn(post, "props", "attachments").map(cardOf),
    ...listIn(post, "metadata", "embeds").flatMap(quotedPost),
  ];
  const isUnknown = !USUAL.has(type) && words === "" && files.length === 0 && known.length === 0;
  return { words, files, parts: isUnknown ? [part("unsupported", type)] : known };
}

function filesIn(post: unknown): readonly MattermostFile[] {
  const told = new Map(listIn(post, "metadata", "files").map((info) => [field(info, "id"), info]));
  const ids = [...new Set([...listIn(post, "file_ids"), ...told.keys()])].filter(isId);
  return ids.map((id) => ({
    id,
    name: textIn(told.get(id), "name"),
    mediaType: textIn(told.get(id), "mime_type") ?? "application/octet-stream",
  }));
}

/** What integrations put under a post. */
function cardOf(card: unknown): Part {
  const names = ["pretext", "author_name", "title", "title_link", "text", "image_url", "footer"];
  const words = names.map((name) => textIn(card, name));
  const rows = listIn(card, "fields").map((row) => {
    const value = textIn(row, "value") ?? numberIn(row, "value");
    return [textIn(row, "title"), value].filter((each) => each !== undefined).join(": ");
  });
  const actions = listIn(card, "actions").flatMap((action) => textIn(action, "name") ?? []);
  const buttons = actions.length > 0 ? `buttons: ${actions.slice(0, 20).join(", ")}` : undefined;
  const isEmpty = [...words, ...rows].every((each) => !each);
  return part("card", ...(isEmpty ? [textIn(card, "fallback")] : words), ...rows.slice(0, 30), buttons);
}

/** A link to another post, of which the server shows the beginning. */
function quotedPost(embed: unknown): Part[] {
  if (field(embed, "type") !== "permalink") return [];
  const channel = textIn(embed, "data", "channel_display_name");
  const words = textIn(embed, "data", "post", "message");
  return words ? [part("link", channel ? `a message in ${channel}` : "a message", words)] : [];
}
