/**
 * What a message of the Cloud API has besides text and files: contacts, an order, a form. What Meta does not give us,
 * and what we do not know, is named by Meta's own word for it.
 */
import { contactPart, locationPart, type Part, part } from "../../session/parts.js";
import { field, listIn, listOf, numberIn, objectIn, textIn, textOf } from "../untrusted.js";
import { formWords } from "./form-words.js";
import { vcardPart } from "./vcard.js";

export function partsOf(message: unknown, type: unknown): readonly Part[] {
  switch (type) {
    case "location":
      return locationOf(field(message, "location"));
    case "contacts":
      return listIn(message, "contacts").map(contactOf);
    case "order":
      return [orderOf(field(message, "order"))];
    case "interactive":
      return replyOf(field(message, "interactive"));
    case "sticker":
      return [part("sticker")];
    case "unsupported":
      return [unsupportedOf(message)];
    default:
      return [];
  }
}

/** The advertisement or the product from which somebody writes. */
export function cameFrom(message: unknown): readonly Part[] {
  const referral = objectIn(message, "referral");
  const product = objectIn(message, "context", "referred_product");
  return [
    ...(referral
      ? [part("link", ...["headline", "body", "source_url"].map((name) => textIn(referral, name)))]
      : []),
    ...(product ? [part("product", textIn(product, "product_retailer_id"))] : []),
  ];
}

function locationOf(location: unknown): readonly Part[] {
  const [latitude, longitude] = [numberIn(location, "latitude"), numberIn(location, "longitude")];
  const [name, address] = [textIn(location, "name"), textIn(location, "address")];
  if (latitude === undefined || longitude === undefined) return [];
  return [locationPart({ latitude, longitude, name, address })];
}

function contactOf(contact: unknown): Part {
  const vcard = textIn(contact, "vcard");
  const name = textIn(contact, "name", "formatted_name") ?? textIn(contact, "name", "first_name");
  if (vcard && !objectIn(contact, "name")) return vcardPart(vcard);
  const ways = [
    textIn(contact, "org", "company"),
    ...listIn(contact, "phones").map((phone) => textIn(phone, "phone") ?? textIn(phone, "wa_id")),
    ...listIn(contact, "emails").map((email) => textIn(email, "email")),
    ...listIn(contact, "urls").map((url) => textIn(url, "url")),
  ];
  return contactPart(
    name,
    ways.flatMap((way) => way ?? []),
  );
}

function orderOf(order: unknown): Part {
  const items = listIn(order, "product_items").map((item) => {
    const count = numberIn(item, "quantity") ?? 1;
    const price = numberIn(item, "item_price") ?? textIn(item, "item_price");
    const cost = price !== undefined ? ` at ${price} ${textIn(item, "currency") ?? ""}`.trimEnd() : "";
    return `${count} × ${textIn(item, "product_retailer_id") ?? "something"}${cost}`;
  });
  return part("order", ...items);
}

/** What somebody chose or filled in, unless its words are the message's text. */
function replyOf(interactive: unknown): readonly Part[] {
  const type = textOf(field(interactive, "type"));
  if (type === "nfm_reply") {
    const form = field(interactive, "nfm_reply");
    const words = formWords(textIn(form, "response_json"));
    return [part("form", textIn(form, "name"), ...(words.length > 0 ? words : [textIn(form, "body")]))];
  }
  if (type === "call_permission_reply")
    return [part("call", `permission: ${textIn(interactive, "call_permission_reply", "response") ?? "?"}`)];
  if (type === "list_reply") {
    const description = textIn(interactive, "list_reply", "description");
    return description ? [part("choice", description)] : [];
  }
  return [];
}

function unsupportedOf(message: unknown): Part {
  const [error] = listOf(field(message, "errors"));
  const kind = textIn(message, "unsupported", "type");
  const reason = textIn(error, "error_data", "details") ?? textIn(error, "title");
  return part("unsupported", kind && kind !== "unknown" ? kind : reason);
}
