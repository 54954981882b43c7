/**
 * Slack: events over a socket or by posts, everything else over the Web API. An envelope is acknowledged once the gateway has its
 * message; what was not comes again. A message that is sent carries its delivery id as metadata, so that after a crash
 * Slack itself can be asked whether it is there.
 */
import { createHash } from "node:crypto";
import type { WebClient } from "@slack/web-api";
import { type Adapter, type Capabilities, ConnectError, type InboundMessage, type Line } from "../adapter.js";
import { Intake } from "../intake.js";
import { speakerWith } from "../speaker.js";
import { field } from "../untrusted.js";
import type { SlackSettings } from "./config.js";
import type { SlackReading } from "./content.js";
import { remoteFile } from "./files.js";
import { mrkdwnLength } from "./format.js";
import { serveHttp } from "./http.js";
import { LIMITS } from "./limits.js";
import { NameBook } from "./names.js";
import { parseCommand, parseEvent, parsePress } from "./parse.js";
import { QuoteBook } from "./quotes.js";
import { type Envelope, serveSocket } from "./socket.js";
import { SlackSpeaker } from "./speaker.js";
import { webClient } from "./web.js";
import { canAnswerIn, removeButtons, whoAmI } from "./workspace.js";

/** So many messages wait to be received; Slack keeps those after them. */
const MOST_WAITING = 1_000;

/** What there is while the line is open. */
interface SlackHearing {
  readonly line: Line;
  readonly web: WebClient;
  readonly reading: SlackReading;
  readonly names: NameBook;
  readonly quotes: QuoteBook;
  readonly commands: ReadonlySet<string>;
  readonly intake: Intake;
}

export class SlackAdapter implements Adapter {
  readonly platform = "slack";
  readonly account: string;
  readonly capabilities: Capabilities = { ...LIMITS, lengthOf: mrkdwnLength };
  readonly #settings: SlackSettings;
  #port = 0;

  constructor(settings: SlackSettings) {
    this.#settings = settings;
    this.account = accountOf(settings.botToken());
  }

  /** Where it listens for posts, once it does. */
  get port(): number {
    return this.#port;
  }

  async serve(line: Line): Promise<void> {
    if (accountOf(this.#settings.botToken()) !== this.account) {
      const sentence = "SLACK_BOT_TOKEN is of another bot than before. Start the gateway again.";
      throw new ConnectError("permanent", sentence);
    }
    const web = webClient(this.#settings);
    const self = await whoAmI(web);
    const reading: SlackReading = {
      userId: self.userId,
      nameOf: () => undefined,
      file: (file) => remoteFile(file, this.#settings),
    };
    const names = new NameBook(web);
    const quotes = new QuoteBook(web, reading, names);
    const commands = new Set(line.commands.map(({ name }) => name));
    const intake = new Intake();
    const hearing: SlackHearing = { line, web, reading, names, quotes, commands, intake };
    const speaker = speakerWith(new SlackSpeaker(web, self, names), {
      fetch: ({ ref: url, ...file }, ...call) => reading.file({ name: "", ...file, url }).read(...call),
    });
    const onUp = (): void => line.up(speaker);
    try {
      await (this.#settings.signingSecret
        ? this.#serveHttp(hearing, onUp)
        : this.#serveSocket(hearing, onUp));
    } finally {
      await intake.stop();
    }
  }

  #serveSocket(hearing: SlackHearing, onHello: () => void): Promise<void> {
    return serveSocket(
      this.#settings,
      (envelope) => this.#take(envelope, hearing),
      onHello,
      hearing.line.end,
    );
  }

  #serveHttp(hearing: SlackHearing, onUp: () => void): Promise<void> {
    const { problem, end } = hearing.line;
    return serveHttp(this.#settings, {
      ...{ problem, end },
      onEnvelope: (envelope) => this.#takePost(envelope, hearing),
      onListening: (port) => {
        this.#port = port;
        onUp();
      },
    });
  }

  /** Tried until it is received: Slack waits for the acknowledgement. */
  #take(envelope: Envelope, hearing: SlackHearing): void {
    const { intake, line } = hearing;
    if (line.end.aborted) return; // Nobody is there to keep it: it comes again.
    const message = this.#parse(envelope, hearing);
    if (!message) return void envelope.ack().catch(() => {}); // Not for us: nothing is lost if it comes again.
    if (intake.open >= MOST_WAITING) return; // Slack sends it again.
    intake.add(message.source.chatId, () => this.#receive(envelope, message, hearing));
  }

  /** Tried once: if it fails, Slack is told so. */
  async #takePost(envelope: Envelope, hearing: SlackHearing): Promise<void> {
    const message = this.#parse(envelope, hearing);
    if (!message) return envelope.ack();
    await hearing.intake.once(message.source.chatId, () => this.#receive(envelope, message, hearing));
  }

  #parse(
    { type, body }: Envelope,
    { reading, commands, line }: Pick<SlackHearing, "reading" | "commands" | "line">,
  ) {
    if (type === "events_api") return parseEvent(field(body, "event"), reading, line.reactions);
    if (type === "interactive") return parsePress(body, reading);
    return type === "slash_commands" ? parseCommand(body, commands, reading) : null;
  }

  async #receive(envelope: Envelope, message: InboundMessage, hearing: SlackHearing): Promise<void> {
    const { web, names, quotes } = hearing;
    const { receive, knows, end } = hearing.line;
    if (end.aborted) return;
    if (!(await knows(message.source))) {
      // A stranger's message is refused without a request to Slack.
      await receive(message);
      await envelope.ack().catch(() => {});
      return;
    }
    if (envelope.type === "slash_commands" && !(await canAnswerIn(web, message.source))) {
      const text =
        "I am not in this conversation, so I cannot answer here. Invite me, or write to me directly.";
      return envelope.ack({ text }).catch(() => {}); // On a line that was cut: it comes again.
    }
    const read = (nameOf: SlackReading["nameOf"]) =>
      this.#parse(envelope, { ...hearing, reading: { ...hearing.reading, nameOf } }) ?? message;
    const [source, quoted] = await Promise.all([
      names.named(message.source),
      names.naming(read).then((named) => quotes.quoted(named)),
    ]);
    if (end.aborted) return;
    const received = await receive({ ...quoted, source });
    quotes.keep(quoted);
    // In a chat of two the buttons go once they were used; in a channel somebody may have pressed who has no say.
    if (message.kind === "button" && received === "accepted" && source.chatType === "dm")
      await removeButtons(web, envelope.body);
    await envelope.ack().catch(() => {}); // On a line that was cut: it comes again, and is known by its id.
  }
}

/** A bot token begins with the numbers of its team and its bot, which stay when it is renewed; else the token's own name. */
function accountOf(botToken: string): string {
  const [, team, bot] = /^xoxb-(\d{6,})-(\d{6,})-\w+$/.exec(botToken) ?? [];
  if (team && bot) return `${team}.${bot}`;
  return `#${createHash("sha256").update(botToken).digest("hex").slice(0, 16)}`;
}
