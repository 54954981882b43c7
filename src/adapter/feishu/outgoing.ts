/** What is sent, as Feishu takes it: a rich text, a card with buttons, or a file that was brought there first. */
import { cleanLine } from "../../util/text.js";
import { type Letter, type LocalFile, SendError } from "../adapter.js";
import { pressData } from "../buttons.js";
import { repeatable } from "../failure.js";
import { bytesOf } from "../local-file.js";
import { textIn } from "../untrusted.js";
import type { FeishuApi } from "./api.js";
import { codeOf, sendError } from "./failure.js";
import { toPlain, toPost } from "./format.js";
import { LIMITS, MAX_PICTURE } from "./limits.js";

/** A message as a call has it. */
export interface FeishuMessage {
  readonly msg_type: "post" | "interactive" | "image" | "file" | "audio" | "media";
  /** JSON. */
  readonly content: string;
}

export function textMessage(markdown: string): FeishuMessage {
  return { msg_type: "post", content: JSON.stringify(toPost(markdown)) };
}

/** What a press carries: the button's command, and the thread that the card is in, which Feishu does not tell. */
export function cardMessage({ text, buttons = [], address: { threadId } }: Letter): FeishuMessage {
  const actions = buttons.map((button) => ({
    tag: "button",
    text: { tag: "plain_text", content: button.label },
    type: "default",
    value: { baton: pressData(button), ...(threadId ? { thread: threadId } : {}) },
  }));
  const card = {
    config: { wide_screen_mode: true, update_multi: true },
    elements: [
      { tag: "div", text: { tag: "plain_text", content: toPlain(text) } },
      ...(actions.length > 0 ? [{ tag: "action", actions }] : []),
    ],
  };
  return { msg_type: "interactive", content: JSON.stringify(card) };
}

/** Feishu does not show it as a picture: it is of another format, too large, or of too many points. */
const NO_PICTURE = new Set([234001, 234006, 234011, 234039]);
const PICTURE = /^image\/(?:jpeg|png|webp|gif|tiff|bmp|x-icon)$/;

/** Brings a file to Feishu, where nobody sees it until it is sent. */
export async function fileMessage(api: FeishuApi, file: LocalFile): Promise<FeishuMessage> {
  const bytes = await bytesOf(file, LIMITS.maxFile);
  if (bytes.byteLength === 0)
    throw new SendError(
      "permanent",
      `The file ${cleanLine(file.name)} is empty. Feishu takes no empty files.`,
    );
  try {
    return (await asPicture(api, file, bytes)) ?? (await asFile(api, file, bytes));
  } catch (error) {
    throw repeatable(sendError(error));
  }
}

async function asPicture(api: FeishuApi, file: LocalFile, bytes: Buffer): Promise<FeishuMessage | null> {
  if (!PICTURE.test(file.mediaType) || bytes.byteLength > MAX_PICTURE) return null;
  const form = new FormData();
  form.set("image_type", "message");
  form.set("image", new Blob([new Uint8Array(bytes)], { type: file.mediaType }), nameOf(file));
  try {
    const key = textIn(await api.call("POST", "/im/v1/images", form), "data", "image_key");
    return { msg_type: "image", content: JSON.stringify({ image_key: mustBe(key) }) };
  } catch (error) {
    if (NO_PICTURE.has(codeOf(error))) return null;
    throw error;
  }
}

async function asFile(api: FeishuApi, file: LocalFile, bytes: Buffer): Promise<FeishuMessage> {
  const type = typeOf(file);
  const form = new FormData();
  form.set("file_type", type);
  form.set("file_name", nameOf(file));
  form.set("file", new Blob([new Uint8Array(bytes)], { type: file.mediaType }), nameOf(file));
  const key = textIn(await api.call("POST", "/im/v1/files", form), "data", "file_key");
  const msg_type = type === "opus" ? "audio" : type === "mp4" ? "media" : "file";
  return { msg_type, content: JSON.stringify({ file_key: mustBe(key) }) };
}

/** A voice message is Ogg with Opus; any other recording goes as a file. */
function typeOf({ mediaType, voice, name }: LocalFile): string {
  if (voice && /^audio\/(?:ogg|opus)$/.test(mediaType)) return "opus";
  if (mediaType === "video/mp4") return "mp4";
  const [, ending = ""] = /\.(pdf|doc|xls|ppt)x?$/i.exec(name) ?? [];
  return ending.toLowerCase() || "stream";
}

function nameOf({ name }: LocalFile): string {
  return cleanLine(name).replace(/[/\\]/g, "_").slice(-200) || "file";
}

function mustBe(key: string | undefined): string {
  if (!key) throw new SendError("retryable", "Feishu did not say where it put the file.");
  return key;
}
