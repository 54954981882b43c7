/** What is asked of the workspace: whose token it is, who sees a place, and whether a message is there. */
import type { WebClient } from "@slack/web-api";
import type { Address, SessionSource } from "../../session/source.js";
import { ConnectError, type FoundMessage, SendError } from "../adapter.js";
import { field, listIn, wordsIn } from "../untrusted.js";
import type { SlackSettings } from "./config.js";
import { isId, isTimestamp, parsePlace, type SlackSelf } from "./parse.js";
import { connectError, slackErrorOf, socketError, webClient } from "./web.js";

const EVENT_TYPE = "baton_delivery";
/** How far back a message is looked for if it is not known when it was written, and in how many pages at most. */
const LOOK_BACK_MS = 7 * 24 * 60 * 60 * 1_000;
/** Slack's clock and ours may differ by so much. */
const OTHER_CLOCK_MS = 10 * 60 * 1_000;
const PAGE = 200;
const MAX_PAGES = 10;

/** As people see them. */
interface WorkspaceNames {
  readonly bot: string;
  readonly workspace: string;
}

export async function whoAmI(web: WebClient): Promise<SlackSelf & WorkspaceNames> {
  try {
    const answer = await web.auth.test();
    const [teamId, userId] = [wordsIn(answer, "team_id"), wordsIn(answer, "user_id")];
    const [bot, workspace] = [wordsIn(answer, "user") || userId, wordsIn(answer, "team") || teamId];
    if (isId(teamId) && isId(userId)) return { teamId, userId, bot, workspace };
  } catch (error) {
    throw connectError(error);
  }
  throw new ConnectError("retryable", "Slack did not say whose token SLACK_BOT_TOKEN is.");
}

/** The bot's token is taken, and the app's if there is one. */
export async function checkTokens(settings: SlackSettings): Promise<WorkspaceNames> {
  const names = await whoAmI(webClient(settings));
  const { appToken } = settings;
  if (!appToken) return names;
  const app = webClient({ ...settings, botToken: appToken });
  try {
    await app.apps.connections.open();
  } catch (error) {
    throw socketError(error);
  }
  return names;
}

const NOT_THERE = new Set(["channel_not_found", "not_in_channel", "thread_not_found"]);

/** A slash command can be given anywhere, also between two others; the answer goes only where the bot is. */
export async function canAnswerIn(
  web: WebClient,
  { chatId, chatType, userId }: SessionSource,
): Promise<boolean> {
  try {
    const channel = field(await web.conversations.info({ channel: chatId }), "channel");
    return chatType === "dm" ? wordsIn(channel, "user") === userId : field(channel, "is_member") !== false;
  } catch (error) {
    if (NOT_THERE.has(slackErrorOf(error))) return false;
    throw error;
  }
}

/** Null where there is no such channel or thread for us. */
export async function findPlace(
  web: WebClient,
  { chatId, threadId }: Address,
  self: SlackSelf,
): Promise<SessionSource | null> {
  if (!isId(chatId) || (threadId !== undefined && !isTimestamp(threadId))) return null;
  try {
    const channel = field(await web.conversations.info({ channel: chatId }), "channel");
    const place = parsePlace(channel, threadId ?? null, self);
    return place && (threadId === undefined || (await beginsThread(web, chatId, threadId))) ? place : null;
  } catch (error) {
    if (NOT_THERE.has(slackErrorOf(error))) return null;
    throw error;
  }
}

/** A reply begins none: what answers it is in the thread that it is in. */
async function beginsThread(web: WebClient, channel: string, ts: string): Promise<boolean> {
  const [first] = listIn(await web.conversations.replies({ channel, ts, limit: 1 }), "messages");
  return wordsIn(first, "ts") === ts && (wordsIn(first, "thread_ts") || ts) === ts;
}

/** Everybody sees a public channel; a private one only who is in it. */
export async function mustSee(web: WebClient, channel: string, person: string): Promise<void> {
  const place = field(await web.conversations.info({ channel }), "channel");
  if (field(place, "is_private") !== true && field(place, "is_im") !== true) return;
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await web.conversations.members({ channel, limit: PAGE, ...(cursor && { cursor }) });
    if (listIn(read, "members").includes(person)) return;
    cursor = wordsIn(read, "response_metadata", "next_cursor");
    if (!cursor) break;
  }
  throw new SendError(
    "permanent",
    `${person} is not in the channel ${channel} and would not see a thread there.`,
  );
}

/** By this a message is known again. */
export function metadataOf(deliveryId: string) {
  return { event_type: EVENT_TYPE, event_payload: { delivery_id: deliveryId } };
}

/** Where a message may be, and since when. */
export interface Sought {
  readonly address: Address;
  readonly deliveryId: string;
  readonly writtenAt?: number | undefined;
}

/** Null where there is more to read than is read, or Slack does not show what our messages carry. */
export async function findDelivery(
  web: WebClient,
  self: SlackSelf,
  { address: { chatId, threadId }, deliveryId, writtenAt }: Sought,
): Promise<FoundMessage> {
  const since = writtenAt === undefined ? Date.now() - LOOK_BACK_MS : writtenAt - OTHER_CLOCK_MS;
  const oldest = String(Math.floor(since / 1_000));
  const where = { channel: chatId, oldest, include_all_metadata: true, limit: PAGE };
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page++) {
    const at = { ...where, ...(cursor && { cursor }) };
    const read = await (threadId
      ? web.conversations.replies({ ...at, ts: threadId })
      : web.conversations.history(at));
    for (const message of listIn(read, "messages")) {
      const [type, payload] = ["event_type", "event_payload"].map((name) => field(message, "metadata", name));
      if (wordsIn(payload, "delivery_id") === deliveryId) return { messageId: wordsIn(message, "ts") };
      const isOurs = wordsIn(message, "user") === self.userId && wordsIn(message, "ts") !== threadId;
      // A file carries none. Where a text has none, Slack hides it from us, and this may be the one.
      if (isOurs && type !== EVENT_TYPE && listIn(message, "files").length === 0) return null;
    }
    cursor = wordsIn(read, "response_metadata", "next_cursor");
    if (!cursor) return "not there";
  }
  return null;
}

/** What had buttons shows its text alone. It is only a courtesy: pressed again, they do nothing. */
export async function removeButtons(web: WebClient, press: unknown): Promise<void> {
  const [channel, ts, text] = [
    wordsIn(press, "channel", "id"),
    wordsIn(press, "message", "ts"),
    wordsIn(press, "message", "text"),
  ];
  if (text === "") return;
  await web.chat.update({ channel, ts, text, blocks: [], parse: "none", link_names: false }).catch(() => {});
}
