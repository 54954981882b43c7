/**
 * Slack: events over a socket, everything else over the Web API. An envelope is acknowledged once the gateway has its
 * message; what was not comes again. A message that is sent carries its delivery id as metadata, so that after a crash
 * Slack itself can be asked whether it is there.
 */
import { createHash } from "node:crypto";
import type { WebClient } from "@slack/web-api";
import { type Adapter, type Capabilities, ConnectError, type Line } from "../adapter.js";
import { Intake } from "../intake.js";
import { field } from "../untrusted.js";
import type { SlackSettings } from "./config.js";
import { remoteFile } from "./files.js";
import { mrkdwnLength } from "./format.js";
import { LIMITS } from "./limits.js";
import { NameBook } from "./names.js";
import { type Heard, parseCommand, parseEvent, type SlackSelf } from "./parse.js";
import { QuoteBook } from "./quotes.js";
import { type Envelope, serveSocket } from "./socket.js";
import { SlackSpeaker } from "./speaker.js";
import { webClient } from "./web.js";
import { canAnswerIn, whoAmI } from "./workspace.js";

/** So many messages wait to be received; Slack keeps those after them. */
const MOST_WAITING = 1_000;

/** What there is while the line is open. */
interface SlackHearing {
  readonly line: Line;
  readonly web: WebClient;
  readonly self: SlackSelf;
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

  constructor(settings: SlackSettings) {
    this.#settings = settings;
    this.account = accountOf(settings.botToken());
  }

  async serve(line: Line): Promise<void> {
    if (accountOf(this.#settings.botToken()) !== this.account) {
      const sentence = "SLACK_BOT_TOKEN is of another bot than before. Start the gateway again.";
      throw new ConnectError("permanent", sentence);
    }
    const web = webClient(this.#settings);
    const self = await whoAmI(web);
    const [names, quotes] = [new NameBook(web), new QuoteBook(web, self)];
    const commands = new Set(line.commands.map(({ name }) => name));
    const intake = new Intake();
    const hearing: SlackHearing = { line, web, self, names, quotes, commands, intake };
    const onHello = (): void => line.up(new SlackSpeaker(web, self, names));
    try {
      await serveSocket(this.#settings, (envelope) => this.#take(envelope, hearing), onHello, line.end);
    } finally {
      await intake.stop();
    }
  }

  #take(envelope: Envelope, hearing: SlackHearing): void {
    const { intake, line } = hearing;
    if (line.end.aborted) return; // Nobody is there to keep it: it comes again.
    const heard = this.#parse(envelope, hearing);
    if (!heard) return void envelope.ack().catch(() => {}); // Not for us: nothing is lost if it comes again.
    if (intake.open >= MOST_WAITING) return; // Slack sends it again.
    intake.add(heard.message.source.chatId, () => this.#receive(envelope, heard, hearing));
  }

  #parse({ type, body }: Envelope, { self, commands }: SlackHearing): Heard | null {
    if (type === "events_api") return parseEvent(field(body, "event"), self);
    return type === "slash_commands" ? parseCommand(body, commands, self) : null;
  }

  async #receive(envelope: Envelope, { message, files }: Heard, hearing: SlackHearing): Promise<void> {
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
    const [source, quoted] = await Promise.all([names.named(message.source), quotes.quoted(message)]);
    if (end.aborted) return;
    const attached = files.map((file) => remoteFile(file, this.#settings));
    await receive({ ...quoted, source, ...(attached.length > 0 && { files: attached }) });
    quotes.keep(quoted);
    await envelope.ack().catch(() => {}); // On a line that was cut: it comes again, and is known by its id.
  }
}

/** A bot token begins with the numbers of its team and its bot, which stay when it is renewed; else the token's own name. */
function accountOf(botToken: string): string {
  const [, team, bot] = /^xoxb-(\d{6,})-(\d{6,})-\w+$/.exec(botToken) ?? [];
  if (team && bot) return `${team}.${bot}`;
  return `#${createHash("sha256").update(botToken).digest("hex").slice(0, 16)}`;
}
