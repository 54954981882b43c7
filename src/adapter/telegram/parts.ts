/**
 * What a message has besides text and files, one part each. A field that no table knows is a kind of message that is newer
 * than Baton: it is told by its name. What Telegram itself says of a chat (joins, pins, titles) is nobody's message.
 */
import { checklistPart, contactPart, locationPart, type Part, part, pollPart } from "../../session/parts.js";
import type { Fields } from "../../util/json.js";
import { firstUnknown, listIn, numberIn, numericIdIn, objectIn, textIn } from "../untrusted.js";
import { nameOf, titleOf } from "./names.js";

/** By the field that has it. */
const KINDS: Readonly<Record<string, (value: unknown, message: Fields) => Part | readonly Part[]>> = {
  sticker: (value) => part("sticker", textIn(value, "emoji") ?? textIn(value, "set_name")),
  poll: (value) =>
    pollPart(
      [textIn(value, "question"), textIn(value, "description")].filter(Boolean).join(", "),
      listIn(value, "options").flatMap((option) => textIn(option, "text") ?? []),
    ),
  checklist: (value) => checklistPart(textIn(value, "title"), listIn(value, "tasks").map(taskOf)),
  dice: (value) => part("dice", textIn(value, "emoji"), number(value, "value")),
  game: (value) => part("game", textIn(value, "title"), textIn(value, "description")),
  venue: (value) =>
    locationPart({ ...placeOf(objectIn(value, "location")), ...named(value, "title", "address") }),
  location: (value, message) => (objectIn(message, "venue") ? [] : locationPart(placeOf(value))),
  contact: (value) => contactPart(nameOf(value), texts(value, "phone_number")),
  users_shared: (value) => listIn(value, "users").map((user) => contactPart(fullName(user), handleOf(user))),
  chat_shared: (value) => contactPart(textIn(value, "title") ?? "a chat", handleOf(value)),
  story: (value) => part("story", from(titleOf(objectIn(value, "chat")))),
  web_app_data: (value) => part("form", textIn(value, "button_text"), textIn(value, "data")),
  invoice: (value) => part("invoice", textIn(value, "title"), textIn(value, "description"), amountOf(value)),
  successful_payment: (value) => part("payment", amountOf(value)),
  paid_media: (value) => part("product", "paid media", stars(numberIn(value, "star_count"))),
  giveaway: (value) =>
    part("giveaway", prizeOf(value), `${number(value, "winner_count") ?? "some"} winners are drawn`),
  giveaway_winners: (value) =>
    part("giveaway", prizeOf(value), winners(listIn(value, "winners").flatMap((user) => nameOf(user) ?? []))),
  gift: (value) => giftOf(value),
  unique_gift: (value) => part("gift", textIn(value, "gift", "base_name"), textIn(value, "text")),
};

/** Told otherwise: as text, as files, or as what the message answers and where it is. */
const TOLD = new Set(
  `message_id ephemeral_message_id message_thread_id from sender_chat sender_tag sender_boost_count sender_business_bot
  receiver_user date edit_date chat is_topic_message direct_messages_topic guest_query_id guest_bot_caller_user
  guest_bot_caller_chat business_connection_id forward_origin forward_date forward_from forward_from_chat
  forward_from_message_id forward_signature forward_sender_name is_automatic_forward reply_to_message
  reply_to_checklist_task_id reply_to_poll_option_id external_reply quote reply_to_story via_bot has_protected_content
  is_from_offline is_paid_post paid_star_count media_group_id author_signature link_preview_options effect_id
  show_caption_above_media has_media_spoiler reply_markup suggested_post_info entities caption_entities`.split(
    /\s+/,
  ),
);

/** Of Telegram itself. */
const NOTICES =
  `new_chat_members new_chat_member new_chat_participant left_chat_member left_chat_participant new_chat_title new_chat_photo
  delete_chat_photo group_chat_created supergroup_chat_created channel_chat_created message_auto_delete_timer_changed
  migrate_to_chat_id migrate_from_chat_id pinned_message connected_website write_access_allowed proximity_alert_triggered
  boost_added chat_background_set forum_topic_created forum_topic_edited forum_topic_closed forum_topic_reopened
  general_forum_topic_hidden general_forum_topic_unhidden giveaway_created giveaway_completed refunded_payment
  paid_message_price_changed direct_message_price_changed gift_upgrade_sent checklist_tasks_done checklist_tasks_added
  poll_option_added poll_option_deleted suggested_post_approved suggested_post_approval_failed suggested_post_declined
  suggested_post_paid suggested_post_refunded chat_owner_left chat_owner_changed community_chat_added
  community_chat_removed community_chat_joined managed_bot_created video_chat_scheduled video_chat_started
  video_chat_ended video_chat_participants_invited voice_chat_scheduled voice_chat_started voice_chat_ended
  voice_chat_participants_invited`.split(/\s+/);

export function isNotice(message: Fields): boolean {
  return NOTICES.some((name) => Object.hasOwn(message, name));
}

export function partsOf(message: Fields): readonly Part[] {
  return Object.entries(KINDS).flatMap(([name, read]) => {
    const value = objectIn(message, name);
    return value ? read(value, message) : [];
  });
}

/** For a message of which nothing else is known. */
export function unknownPart(message: Fields): Part {
  return part("unsupported", firstUnknown(message, TOLD));
}

function taskOf(task: unknown) {
  return { text: textIn(task, "text") ?? "", isDone: numberIn(task, "completion_date") !== undefined };
}

function placeOf(place: unknown) {
  return {
    latitude: numberIn(place, "latitude"),
    longitude: numberIn(place, "longitude"),
    isLive: numberIn(place, "live_period") !== undefined,
  };
}

function named(value: unknown, name: string, address: string) {
  return { name: textIn(value, name), address: textIn(value, address) };
}

function fullName(user: unknown): string {
  return nameOf(user) ?? `user ${numericIdIn(user, "user_id") ?? ""}`.trim();
}

function handleOf(who: unknown): readonly string[] {
  return texts(who, "username").map((name) => `@${name}`);
}

function giftOf(value: unknown): Part {
  const worth = stars(numberIn(value, "gift", "star_count"));
  return part("gift", textIn(value, "gift", "sticker", "emoji"), worth, textIn(value, "text"));
}

function prizeOf(value: unknown): string | undefined {
  const months = number(value, "premium_subscription_month_count");
  const prizes = [
    textIn(value, "prize_description"),
    stars(numberIn(value, "prize_star_count")),
    months && `${months} months of Telegram Premium`,
  ];
  return prizes.filter(Boolean).join(", ");
}

function winners(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `won by ${names.slice(0, 10).join(", ")}`;
}

const STARS = "XTR";

/** 10.50 EUR: Telegram counts in the smallest unit of a currency. */
function amountOf(value: unknown): string | undefined {
  const [total, currency] = [numberIn(value, "total_amount"), textIn(value, "currency")];
  if (total === undefined || !currency || !/^[A-Z]{3}$/.test(currency)) return undefined;
  if (currency === STARS) return stars(total);
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return `${(total / 10 ** digits).toFixed(digits)} ${currency}`;
}

function stars(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${count} Telegram Stars`;
}

function number(value: unknown, name: string): string | undefined {
  const found = numberIn(value, name);
  return found === undefined ? undefined : String(found);
}

function texts(value: unknown, name: string): readonly string[] {
  return [textIn(value, name)].flatMap((text) => text ?? []);
}

function from(name: string | undefined): string | undefined {
  return name && `of ${name}`;
}
