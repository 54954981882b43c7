/** What each renderer makes of a document, and how the platform reads that. */

import { expect } from "vitest";
import { formatMarkdown, lengthOf } from "../../src/adapter/discord/format.js";
import { postLength, toPost } from "../../src/adapter/feishu/format.js";
import { LIMITS as FEISHU } from "../../src/adapter/feishu/limits.js";
import { parseMarkdown, plainText } from "../../src/adapter/markdown/read.js";
import { editContent, textBytes, textContent } from "../../src/adapter/matrix/content.js";
import { LIMITS as MATRIX } from "../../src/adapter/matrix/limits.js";
import { formatText as formatMattermost } from "../../src/adapter/mattermost/format.js";
import { LIMITS as MATTERMOST } from "../../src/adapter/mattermost/limits.js";
import { formatText as formatSignal } from "../../src/adapter/signal/format.js";
import { mrkdwnLength, toMrkdwn } from "../../src/adapter/slack/format.js";
import { LIMITS as SLACK } from "../../src/adapter/slack/limits.js";
import { shownLength, toHtml } from "../../src/adapter/telegram/format.js";
import { formatText as formatWhatsApp } from "../../src/adapter/whatsapp/format.js";
import type { PieceRoom } from "../../src/delivery/split.js";
import { readDiscordMarkup } from "./discord-markup.js";
import { readPost } from "./feishu-post.js";
import { readMatrixHtml } from "./matrix-html.js";
import { readSlackMarkup } from "./slack-markup.js";
import { readTelegramHtml } from "./telegram-html.js";
import { readWhatsAppMarkup } from "./whatsapp-markup.js";

export interface Renderer {
  readonly room: PieceRoom;
  /** How long it is as the platform counts, by the test's own count. */
  readonly sizeOf: (markdown: string) => number;
  /** What is seen; fails where the markup is not as the platform wants it. */
  readonly read: (markdown: string) => string;
}

export const RENDERERS: Readonly<Record<string, Renderer>> = {
  Telegram: {
    room: { max: 4_096, lengthOf: shownLength },
    sizeOf: (markdown) => readTelegramHtml(toHtml(markdown)).text.length,
    read: (markdown) => readTelegramHtml(toHtml(markdown)).text,
  },
  Discord: {
    room: { max: 2_000, lengthOf },
    sizeOf: (markdown) => formatMarkdown(markdown).length,
    read: (markdown) => readDiscordMarkup(formatMarkdown(markdown)),
  },
  Slack: {
    room: { max: SLACK.maxText, lengthOf: mrkdwnLength },
    sizeOf: (markdown) => toMrkdwn(markdown).length,
    read: (markdown) => readSlackMarkup(toMrkdwn(markdown)),
  },
  Matrix: {
    room: { max: MATRIX.maxText, lengthOf: textBytes },
    sizeOf: textBytes,
    read: (markdown) => {
      for (const content of [textContent(markdown), editContent(markdown, `$${"e".repeat(43)}`)])
        expect(eventBytes(content)).toBeLessThanOrEqual(65_536);
      const { body, formatted_body } = textContent(markdown);
      return typeof formatted_body === "string" ? readMatrixHtml(formatted_body) : String(body);
    },
  },
  Signal: {
    room: { max: 2_000, lengthOf: (markdown) => Buffer.byteLength(formatSignal(markdown).text) },
    sizeOf: (markdown) => Buffer.byteLength(formatSignal(markdown).text),
    read: (markdown) => {
      const { text, styles } = formatSignal(markdown);
      for (const style of styles) expectRange(style, text);
      return text;
    },
  },
  WhatsApp: {
    room: { max: 4_096, lengthOf: (markdown) => formatWhatsApp(markdown).length },
    sizeOf: (markdown) => formatWhatsApp(markdown).length,
    read: (markdown) => readWhatsAppMarkup(formatWhatsApp(markdown)),
  },
  Feishu: {
    room: { max: FEISHU.maxText, lengthOf: postLength },
    sizeOf: postLength,
    read: (markdown) => readPost(toPost(markdown)),
  },
};

/** What each platform takes at once, Mattermost too. */
export const ROOMS: Readonly<Record<string, PieceRoom>> = {
  ...Object.fromEntries(Object.entries(RENDERERS).map(([name, { room }]) => [name, room])),
  Mattermost: { max: MATTERMOST.maxText, lengthOf: (text) => formatMattermost(text).length },
};

/** What people see of a text on each platform. Mattermost reads Markdown itself, and hides where every link leads. */
export const SHOWN: Readonly<Record<string, Renderer["read"]>> = {
  ...Object.fromEntries(Object.entries(RENDERERS).map(([name, { read }]) => [name, read])),
  Mattermost: (markdown) => plainText(parseMarkdown(formatMattermost(markdown))),
};

/** Encrypted it grows by a third, and an envelope is around it. */
function eventBytes(content: object): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(content)) / 3) * 4 + 3_000;
}

/** `start:length:STYLE`, within the text and between its characters. */
function expectRange(style: string, text: string): void {
  const [, start = "", length = ""] =
    /^(\d+):([1-9]\d*):(?:BOLD|ITALIC|STRIKETHROUGH|MONOSPACE)$/.exec(style) ?? [];
  const end = Number(start) + Number(length);
  if (start === "" || end > text.length) expect.fail(`${style} is no range of ${JSON.stringify(text)}`);
  for (const edge of [Number(start), end])
    if (/^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(edge - 1, edge + 1)))
      expect.fail(`${style} cuts a character`);
}
