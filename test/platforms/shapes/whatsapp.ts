/**
 * Messages of the Cloud API, written from Meta's reference of the `messages` webhook
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages).
 */
import { parseWebhook } from "../../../src/adapter/whatsapp/parse.js";
import type { PlatformShapes, Shape } from "./shape.js";

const PHONE = "100000000000000";
const NUMBER = "15551234567";
const HIDDEN = "US.13491208655302741918";
const EARLIER = { id: "wamid.EARLIER", from: "15550000000" };

/** A post with one message. */
function sent(type: string, fields: object, contact: object = { wa_id: NUMBER }): unknown {
  const message = { from: NUMBER, id: "wamid.NEW", timestamp: "1767900000", type, ...fields };
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "15550000000", phone_number_id: PHONE },
    contacts: [{ profile: { name: "Ann" }, ...contact }],
    messages: [message],
  };
  return {
    object: "whatsapp_business_account",
    entry: [{ id: "1", changes: [{ value, field: "messages" }] }],
  };
}

function file(mime_type: string, more: object = {}): object {
  return { id: "1003383421387256", mime_type, sha256: "c2hh", ...more };
}

function interactive(type: string, reply: object): object {
  return { context: EARLIER, interactive: { type, [type]: reply } };
}

function flow(name: string, response: object): object {
  return interactive("nfm_reply", { name, body: "Sent", response_json: JSON.stringify(response) });
}

function unsupported(kind: string): Shape {
  const error = {
    code: 131051,
    title: "Message type unknown",
    error_data: { details: "Message type is currently not supported." },
  };
  const fields = { errors: [error], unsupported: { type: kind } };
  return { name: `what Meta does not give: ${kind}`, payload: sent("unsupported", fields) };
}

const LONDON = { latitude: 51.5074, longitude: -0.1278 };
const ADA = {
  name: { formatted_name: "Ada Lovelace", first_name: "Ada" },
  phones: [{ phone: "+44 20 7946 0000", wa_id: "442079460000", type: "WORK" }],
};

const shapes: readonly Shape[] = [
  { name: "text", payload: sent("text", { text: { body: "hello" } }) },
  { name: "text with a link", payload: sent("text", { text: { body: "see https://example.org" } }) },
  {
    name: "answer to one of the agent's messages",
    payload: sent("text", { text: { body: "yes" }, context: EARLIER }),
  },
  {
    name: "answer to a message that this process has not seen",
    payload: sent("text", { text: { body: "yes" }, context: { ...EARLIER, id: "wamid.LONGAGO" } }),
  },
  { name: "forwarded text", payload: sent("text", { text: { body: "news" }, context: { forwarded: true } }) },
  {
    name: "text forwarded many times",
    payload: sent("text", { text: { body: "news" }, context: { frequently_forwarded: true } }),
  },
  {
    name: "forwarded command",
    payload: sent("text", { text: { body: "/new" }, context: { forwarded: true } }),
  },
  { name: "command", payload: sent("text", { text: { body: "/new" } }) },
  {
    name: "question about a product",
    payload: sent("text", {
      text: { body: "is it blue?" },
      context: { ...EARLIER, referred_product: { catalog_id: "1", product_retailer_id: "SKU-1" } },
    }),
  },
  {
    name: "text from an advertisement",
    payload: sent("text", {
      text: { body: "hi" },
      referral: {
        source_url: "https://fb.me/x",
        source_type: "ad",
        headline: "Summer sale",
        body: "Half price",
      },
    }),
  },
  {
    name: "text of somebody with a user name and no number",
    payload: sent(
      "text",
      { from: undefined, from_user_id: HIDDEN, text: { body: "hello" } },
      { user_id: HIDDEN },
    ),
  },
  {
    name: "text of somebody with both",
    payload: sent("text", { from_user_id: HIDDEN, text: { body: "hello" } }),
  },
  { name: "picture", payload: sent("image", { image: file("image/jpeg") }) },
  {
    name: "picture with a caption",
    payload: sent("image", { image: file("image/jpeg", { caption: "my cat" }) }),
  },
  {
    name: "forwarded picture",
    payload: sent("image", { image: file("image/jpeg"), context: { forwarded: true } }),
  },
  {
    name: "picture from an advertisement",
    payload: sent("image", { image: file("image/jpeg"), referral: { headline: "Summer sale" } }),
  },
  {
    name: "picture whose file Meta does not name",
    payload: sent("image", { image: { mime_type: "image/jpeg" } }),
  },
  { name: "video", payload: sent("video", { video: file("video/mp4") }) },
  { name: "video with a caption", payload: sent("video", { video: file("video/mp4", { caption: "look" }) }) },
  {
    name: "voice message",
    payload: sent("audio", { audio: file("audio/ogg; codecs=opus", { voice: true }) }),
  },
  { name: "music or other sound", payload: sent("audio", { audio: file("audio/mpeg", { voice: false }) }) },
  {
    name: "document",
    payload: sent("document", { document: file("application/pdf", { filename: "notes.pdf" }) }),
  },
  {
    name: "document with a caption",
    payload: sent("document", {
      document: file("application/pdf", { filename: "notes.pdf", caption: "read this" }),
    }),
  },
  { name: "document without a name", payload: sent("document", { document: file("text/plain") }) },
  { name: "sticker", payload: sent("sticker", { sticker: file("image/webp", { animated: false }) }) },
  {
    name: "sticker that moves",
    payload: sent("sticker", { sticker: file("image/webp", { animated: true }) }),
  },
  { name: "place", payload: sent("location", { location: LONDON }) },
  {
    name: "place with a name",
    payload: sent("location", { location: { ...LONDON, name: "Big Ben", address: "Westminster, London" } }),
  },
  {
    name: "place with a web address",
    payload: sent("location", { location: { ...LONDON, name: "Big Ben", url: "https://example.org" } }),
  },
  {
    name: "place in answer to a question",
    payload: sent("location", { location: LONDON, context: EARLIER }),
  },
  { name: "contact", payload: sent("contacts", { contacts: [ADA] }) },
  {
    name: "contact with everything",
    payload: sent("contacts", {
      contacts: [
        {
          ...ADA,
          org: { company: "Analytical Engines" },
          emails: [{ email: "ada@example.org" }],
          urls: [{ url: "https://example.org" }],
        },
      ],
    }),
  },
  {
    name: "several contacts",
    payload: sent("contacts", { contacts: [ADA, { name: { formatted_name: "Bob" } }] }),
  },
  {
    name: "contact as a card only",
    payload: sent("contacts", {
      contacts: [{ vcard: "BEGIN:VCARD\nFN:Bob\nTEL;waid=1555:+1 555 765 4321\nEND:VCARD" }],
    }),
  },
  {
    name: "own number, which the business asked for",
    payload: sent("contacts", {
      from: undefined,
      from_user_id: HIDDEN,
      origin: "contact_request",
      contacts: [{ phones: [{ phone: "+15551234567" }] }],
    }),
  },
  {
    name: "order",
    payload: sent("order", {
      order: {
        catalog_id: "1",
        text: "by Friday, please",
        product_items: [{ product_retailer_id: "SKU-1", quantity: 2, item_price: 7.5, currency: "EUR" }],
      },
    }),
  },
  {
    name: "order of several products",
    payload: sent("order", {
      order: {
        product_items: [
          { product_retailer_id: "SKU-1", quantity: 1, item_price: "7.5", currency: "EUR" },
          { product_retailer_id: "SKU-2", quantity: 3 },
        ],
      },
    }),
  },
  {
    name: "button of a template",
    payload: sent("button", { button: { text: "Yes", payload: "yes" }, context: EARLIER }),
  },
  {
    name: "button",
    payload: sent("interactive", interactive("button_reply", { id: "b1", title: "Confirm" })),
  },
  {
    name: "entry of a list",
    payload: sent("interactive", interactive("list_reply", { id: "r1", title: "Express" })),
  },
  {
    name: "entry of a list, with a description",
    payload: sent(
      "interactive",
      interactive("list_reply", { id: "r1", title: "Express", description: "by noon" }),
    ),
  },
  {
    name: "form (flow)",
    payload: sent(
      "interactive",
      flow("flow", { flow_token: "t", day: "Monday", guests: 4, extras: ["cake", "tea"] }),
    ),
  },
  {
    name: "address",
    payload: sent("interactive", flow("address_message", { values: { name: "Ann", city: "Berlin" } })),
  },
  {
    name: "form whose answers are no JSON",
    payload: sent("interactive", interactive("nfm_reply", { body: "Sent", response_json: "{" })),
  },
  {
    name: "permission to call",
    payload: sent(
      "interactive",
      interactive("call_permission_reply", { response: "accept", is_permanent: false }),
    ),
  },
  {
    name: "another kind of interactive answer",
    payload: sent("interactive", interactive("payment_method", {})),
  },
  { name: "reaction", payload: sent("reaction", { reaction: { message_id: "wamid.EARLIER", emoji: "👍" } }) },
  {
    name: "reaction that was taken off",
    ignored: true,
    payload: sent("reaction", { reaction: { message_id: "wamid.EARLIER" } }),
  },
  {
    name: "changed text",
    payload: sent("edit", {
      edit: { original_message_id: "wamid.EARLIER", message: { type: "text", text: { body: "tomorrow" } } },
    }),
  },
  {
    name: "changed caption",
    payload: sent("edit", {
      edit: {
        original_message_id: "wamid.EARLIER",
        message: { type: "image", image: file("image/jpeg", { caption: "my other cat" }) },
      },
    }),
  },
  { name: "deleted message", payload: sent("revoke", { revoke: { original_message_id: "wamid.EARLIER" } }) },
  unsupported("poll_creation"),
  unsupported("poll_update"),
  unsupported("group_invite"),
  unsupported("gif"),
  unsupported("product"),
  unsupported("link_preview"),
  unsupported("media_placeholder"),
  unsupported("unknown"),
  {
    name: "what Meta does not have yet",
    payload: sent("unsupported", {
      errors: [{ code: 131060, title: "This message is currently unavailable." }],
    }),
  },
  { name: "a type that Meta adds one day", payload: sent("hologram", { hologram: { id: "1" } }) },
  { name: "text without words", payload: sent("text", { text: { body: "" } }) },
  {
    name: "somebody changed their number",
    ignored: true,
    payload: sent("system", {
      system: { type: "user_changed_number", body: "User A changed from 1 to 2", wa_id: "2" },
    }),
  },
  { name: "somebody opened the chat", ignored: true, payload: sent("request_welcome", {}) },
  {
    name: "message in a group of the Cloud API",
    ignored: true,
    payload: sent("text", { group_id: "g", text: { body: "hi" } }),
  },
];

export const whatsappShapes: PlatformShapes = {
  page: "whatsapp",
  table: "whatsapp",
  shapes,
  read: (payload) =>
    parseWebhook(payload, {
      phoneNumberId: PHONE,
      file: ({ name, mediaType, isVoice }) => ({
        mediaType,
        ...(name ? { name } : {}),
        ...(isVoice ? { voice: true } : {}),
        read: async () => new Uint8Array(),
      }),
      earlier: (_chat, messageId) => (messageId === EARLIER.id ? { messageId, text: "Shall I?" } : undefined),
    }).messages[0] ?? null,
};
