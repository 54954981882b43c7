/**
 * Discord, spoken as one bot. Messages come over the gateway and count as read once they were taken; after every gap
 * the channels that are known are read on from there. What is sent carries a nonce made of its delivery id, by which
 * it is found again. Nothing that an agent writes can ping anybody.
 */
import type { GatewayDispatchPayload } from "discord.js";
import {
  type Adapter,
  ConnectError,
  type InboundMessage,
  type Line,
  type Receive,
  type Received,
} from "../adapter.js";
import { Intake } from "../intake.js";
import { withinPatience } from "../patience.js";
import { speakerWith } from "../speaker.js";
import { field, listOf, wordsIn } from "../untrusted.js";
import { Api } from "./api.js";
import { IdentifyBudget } from "./budget.js";
import { Channels } from "./channels.js";
import type { DiscordSettings } from "./config.js";
import { downloadFrom } from "./download.js";
import { BAD_TOKEN, connectError } from "./failure.js";
import { lengthOf } from "./format.js";
import { GatewaySocket } from "./gateway-socket.js";
import { LIMITS } from "./limits.js";
import { announceCommands } from "./menu.js";
import { OwnSends } from "./own-sends.js";
import {
  authorOf,
  type DiscordDeletion,
  type DiscordParseSetting,
  type DiscordPlace,
  forwardedFrom,
  type Interaction,
  isFromPerson,
  parseDeletion,
  parseEdit,
  parseInteraction,
  parseMessage,
  parseReaction,
  placeOf,
  placeOfReaction,
  sourceIn,
} from "./parse.js";
import { DiscordProgress, readAfter } from "./progress.js";
import { isNewer, isSnowflake, snowflakeAt } from "./snowflake.js";
import { DiscordSpeaker } from "./speaker.js";

const REACTED = "MESSAGE_REACTION_ADD";
const PAGE = 100;
/** After a gap: no further back than that, and no more of one channel. */
const GAP_MS = 24 * 60 * 60 * 1_000;
const GAP_PAGES = 10;
const MAX_TAKEN = 1_000;

/** What there is while the line is up. */
interface DiscordHearing {
  readonly api: Api;
  readonly self: string;
  readonly receive: Receive;
  readonly knows: Line["knows"];
  readonly channels: Channels;
  readonly progress: DiscordProgress;
  readonly intake: Intake<number>;
  /** Settles when the line is up, or over. */
  readonly whenUp: Promise<void>;
  /** Everything up to here was read when the line came up. */
  gapFrom: string;
}

export class DiscordAdapter implements Adapter {
  readonly platform = "discord";
  readonly account: string;
  readonly capabilities = { ...LIMITS, lengthOf };
  readonly #settings: DiscordSettings;
  readonly #download: ReturnType<typeof downloadFrom>;
  /** What is heard in a channel, by the name of its event. */
  readonly #inChannels = new Map<unknown, (hearing: DiscordHearing, json: unknown, at: At) => Promise<void>>([
    ["MESSAGE_CREATE", (...heard) => this.#hearMessage(...heard)],
    ["MESSAGE_UPDATE", (...heard) => this.#hearEdit(...heard)],
    ["INTERACTION_CREATE", (...heard) => this.#hearInteraction(...heard)],
    [REACTED, hearReaction],
  ]);
  /** Outlives a line: what was in doubt may be told of on the next one. */
  readonly #sends = new OwnSends();
  /** Ids of messages that were taken, so that what is read after a gap does not come twice. */
  readonly #taken = new Set<string>();
  /** Everything up to here was read when this process began. */
  #beganAt: string | undefined;

  constructor(settings: DiscordSettings) {
    this.#settings = settings;
    this.account = botOf(settings.token()) ?? "unknown";
    this.#download = downloadFrom(settings.baseUrl);
  }

  async serve({ receive, knows, memory, commands, reactions, up, end }: Line): Promise<void> {
    const token = this.#settings.token().trim();
    if (botOf(token) === null) throw new ConnectError("permanent", BAD_TOKEN);
    const api = new Api(this.#settings, token);
    const self = await ownId(api);
    await announceCommands(api, memory, commands);
    const progress = await DiscordProgress.open(memory, Date.now());
    const intake = new Intake<number>();
    const channels = new Channels(api);
    let isUp: () => void = () => {};
    const whenUp = new Promise<void>((resolve) => {
      isUp = resolve;
    });
    const { mark: gapFrom } = progress;
    const hearing: DiscordHearing = {
      api,
      self,
      receive,
      knows,
      channels,
      progress,
      intake,
      whenUp,
      gapFrom,
    };
    this.#beganAt ??= progress.mark;
    const speaker = new DiscordSpeaker({ api, self, channels, sends: this.#sends, beganAt: this.#beganAt });
    const socket = new GatewaySocket({
      rest: api.rest,
      ...{ token, reactions },
      budget: new IdentifyBudget(memory),
      session: progress.session,
      readUpTo: () => intake.settledUpTo ?? 0,
      onBegun: (sequence) => intake.beginAt(sequence),
      onEvent: (event) => this.#hear(hearing, event),
      onUp: () => {
        hearing.gapFrom = progress.mark;
        up(speakerWith(speaker, { fetch: ({ ref }, ...call) => this.#download(ref, undefined)(...call) }));
        isUp();
        this.#readOn(hearing);
      },
    });
    progress.sessionFrom(() => socket.session);
    end.addEventListener("abort", () => void intake.stop());
    try {
      await socket.serve(end);
    } finally {
      isUp();
      await intake.stop();
      await progress.close();
    }
  }

  #hear(hearing: DiscordHearing, { t, d, s }: GatewayDispatchPayload): void {
    const { intake, channels } = hearing;
    const work = this.#workOf(hearing, t, d);
    if (work) {
      // Who writes can be answered once the line is up: what was missed comes before.
      intake.add(work.channelId, () => hearing.whenUp.then(work.take), s);
      return;
    }
    intake.pass(s);
    if (t === "GUILD_CREATE") this.#readServer(hearing, d);
    else if (t === "GUILD_ROLE_CREATE" || t === "GUILD_ROLE_UPDATE") channels.learnRole(field(d, "role"));
    else if (t?.startsWith("CHANNEL_") || t?.startsWith("THREAD_")) channels.learn(d);
  }

  /** What an event asks for, in the order of its channel. */
  #workOf(
    hearing: DiscordHearing,
    name: unknown,
    json: unknown,
  ): { readonly channelId: string; readonly take: () => Promise<void> } | null {
    const gone = name === "MESSAGE_DELETE" || name === "MESSAGE_DELETE_BULK" ? parseDeletion(json) : null;
    if (gone) return { channelId: gone.channelId, take: () => hearDeletion(hearing, gone) };
    const hear = this.#inChannels.get(name);
    const at = hear ? (name === REACTED ? placeOfReaction(json) : placeOf(json)) : null;
    return hear && at ? { channelId: at.channelId, take: () => hear(hearing, json, at) } : null;
  }

  async #hearMessage(hearing: DiscordHearing, json: unknown, at: At): Promise<void> {
    const { channels, progress, self } = hearing;
    const nonce = wordsIn(json, "nonce");
    if (nonce !== "" && wordsIn(json, "author", "id") === self) this.#sends.hear(nonce, at.messageId);
    const place = isFromPerson(json) ? await channels.place(at.channelId) : null;
    const message = place && parseMessage(json, this.#reading(hearing, place));
    if (this.#taken.has(at.messageId)) return;
    if (message) {
      await progress.begin(at.channelId, at.messageId);
      await this.#take(hearing, await withAuthor(message, json, hearing));
    }
    progress.done(at.channelId, at.messageId);
  }

  async #hearEdit(hearing: DiscordHearing, json: unknown, at: At): Promise<void> {
    const place = await hearing.channels.place(at.channelId);
    const edit = place && parseEdit(json, this.#reading(hearing, place));
    if (edit) await hearing.receive(edit);
  }

  #reading({ channels, self }: DiscordHearing, place: DiscordPlace): DiscordParseSetting {
    return { place, self, download: this.#download, nameOf: channels.nameOf };
  }

  async #take({ receive }: DiscordHearing, message: InboundMessage): Promise<Received> {
    const received = await receive(message);
    this.#taken.add(message.messageId);
    const [oldest] = this.#taken;
    if (this.#taken.size > MAX_TAKEN && oldest) this.#taken.delete(oldest);
    return received;
  }

  /** Discord wants a word within seconds; the answer itself comes as a message like any other. */
  async #hearInteraction(hearing: DiscordHearing, json: unknown, at: At): Promise<void> {
    const { api, channels } = hearing;
    const place = await channels.place(at.channelId);
    const interaction = place && parseInteraction(json, place);
    if (!interaction || this.#taken.has(at.messageId)) return;
    if (interaction.pressedOn) return this.#hearPress(hearing, interaction, at, interaction.pressedOn);
    // Too late for a word, or twice: the command counts all the same.
    await api.defer(at.messageId, interaction.token).catch(() => {});
    await this.#take(hearing, interaction.message);
    await api.undefer(applicationOf(json), interaction.token).catch(() => {});
  }

  /** In a chat of two the buttons go once they were used; in a server somebody may have pressed who has no say. */
  async #hearPress(
    hearing: DiscordHearing,
    { message, token }: Interaction,
    { channelId, messageId }: At,
    pressedOn: string,
  ): Promise<void> {
    const { api } = hearing;
    await api.acceptPress(messageId, token).catch(() => {}); // Too late, or twice: it counts all the same.
    const received = await this.#take(hearing, message);
    if (received === "accepted" && message.source.chatType === "dm")
      await api.removeButtons(channelId, pressedOn).catch(() => {});
  }

  /** What was written while nobody listened: first of all in the channels that we know. */
  #readOn(hearing: DiscordHearing): void {
    const { progress, intake } = hearing;
    for (const channelId of progress.channels)
      intake.beside(channelId, () => this.#readChannel(hearing, channelId, progress.lastSeen(channelId)));
  }

  /** Channels that we do not know have something for us if it is newer than all that we had read, and than our coming. */
  #readServer(hearing: DiscordHearing, json: unknown): void {
    const { channels, progress, intake } = hearing;
    const { channels: plain, threads, joined_at, roles } = (json ?? {}) as Readonly<Record<string, unknown>>;
    const joined = typeof joined_at === "string" ? Date.parse(joined_at) : Number.NaN;
    const from = readAfter(hearing.gapFrom, snowflakeAt(joined || 0));
    for (const role of listOf(roles)) channels.learnRole(role);
    for (const each of [plain, threads].flatMap((list) => (Array.isArray(list) ? list : []))) {
      const channel = channels.learn(each);
      const last = channel?.lastMessageId;
      if (!channel || !last || progress.lastSeen(channel.id) !== null || !isNewer(last, from)) continue;
      intake.beside(channel.id, () => this.#readChannel(hearing, channel.id, from));
    }
  }

  async #readChannel(hearing: DiscordHearing, channelId: string, seen: string | null): Promise<void> {
    const oldest = snowflakeAt(Date.now() - GAP_MS);
    let after = readAfter(seen ?? oldest, oldest);
    for (let page = 0; page < GAP_PAGES; page += 1) {
      const messages = (await hearing.api.messagesAfter(channelId, after, PAGE)) ?? [];
      for (const message of messages) {
        const at = placeOf(message);
        if (!at) continue;
        await this.#hearMessage(hearing, message, at);
        after = at.messageId;
      }
      if (messages.length < PAGE) return;
    }
  }
}

/** Discord does not say who wrote what was forwarded; where we may read the message itself, it does. */
async function withAuthor(
  message: InboundMessage,
  json: unknown,
  hearing: DiscordHearing,
): Promise<InboundMessage> {
  const { api, knows } = hearing;
  const at = message.forwarded ? forwardedFrom(json) : null;
  if (!at || !(await knows(message.source))) return message;
  const from = authorOf(await withinPatience(api.message(at.channelId, at.messageId), null));
  return from ? { ...message, forwarded: { from } } : message;
}

async function hearReaction(
  { channels, receive, self }: DiscordHearing,
  json: unknown,
  at: At,
): Promise<void> {
  const place = wordsIn(json, "user_id") === self ? null : await channels.place(at.channelId);
  const reaction = place && parseReaction(json, place);
  if (reaction) await receive(reaction);
}

async function hearDeletion(
  { channels, receive }: DiscordHearing,
  { channelId, messageIds }: DiscordDeletion,
): Promise<void> {
  const place = await channels.place(channelId);
  if (!place) return;
  for (const messageId of messageIds)
    await receive({ kind: "deletion", source: sourceIn(place), messageId, text: "" });
}

type At = NonNullable<ReturnType<typeof placeOf>>;

/** The bot's id, which its token begins with; null where it is no token. */
function botOf(token: string): string | null {
  const [id = "", ...rest] = token.trim().split(".");
  const decoded = Buffer.from(id, "base64url").toString();
  return rest.length === 2 && isSnowflake(decoded) ? decoded : null;
}

async function ownId(api: Api): Promise<string> {
  try {
    const { id } = (await api.me()) as { id?: unknown };
    if (isSnowflake(id)) return id;
  } catch (error) {
    throw connectError(error);
  }
  throw new ConnectError("retryable", "Discord does not say who the bot is.");
}

function applicationOf(json: unknown): string {
  const { application_id } = (json ?? {}) as { application_id?: unknown };
  return String(application_id);
}
