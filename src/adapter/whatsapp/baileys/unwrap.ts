/** The content of a message of WhatsApp Web, without what it is wrapped in. */
import { field, isThere } from "../../untrusted.js";

/** What a message may be wrapped in. */
const WRAPPERS = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
  "associatedChildMessage",
  "groupMentionedMessage",
  "botInvokeMessage",
  "botForwardedMessage",
  "botTaskMessage",
  "lottieStickerMessage",
  "eventCoverImage",
  "pollCreationMessageV4",
  "pollCreationOptionImageMessage",
  "questionMessage",
  "questionReplyMessage",
  "groupStatusMessage",
  "groupStatusMessageV2",
  "statusAddYours",
  "commentMessage",
] as const;
const DEEPEST = 8;

export interface Unwrapped {
  readonly content: unknown;
  /** It may be seen only once. */
  readonly isOnce: boolean;
  /** What came around it: what it belongs to stands there, outside or inside. */
  readonly association: unknown;
}

export function unwrapped(message: unknown): Unwrapped {
  let content = message;
  let isOnce = false;
  let association = associationOf(message);
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const wrapper = WRAPPERS.find((name) => isThere(field(content, name, "message")));
    if (!wrapper) break;
    isOnce ||= wrapper.startsWith("viewOnce");
    content = field(content, wrapper, "message");
    association = associationOf(content) ?? association;
  }
  return { content, isOnce, association };
}

function associationOf(message: unknown): unknown {
  return field(message, "messageContextInfo", "messageAssociation") ?? undefined;
}

/** The kinds of content that it has, by WhatsApp's names: one, unless it is odd. */
export function namesIn(content: unknown): readonly string[] {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return [];
  return Object.keys(content).filter((name) => isThere(field(content, name)));
}

/** Whom it mentions, what it answers, and whether it was forwarded. */
export function contextOf(content: unknown): unknown {
  return namesIn(content)
    .map((name) => field(content, name, "contextInfo"))
    .find(isThere);
}
