/**
 * IRC as a platform: docs/writing-an-adapter.md goes through it. IRC has no message ids, no history and no receipts: what
 * is said while nobody is there is lost, and what is sent counts as sent when the server answers a PING behind it.
 */
import { randomUUID } from "node:crypto";
import { connect as dial, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type {
  Adapter,
  Capabilities,
  InboundMessage,
  OutboundMessage,
  Receive,
  Surroundings,
} from "baton-gateway";
import { ConnectError, registerPlatform, SendError } from "baton-gateway";

registerPlatform("irc", { title: "IRC", foldId: (id) => id.toLowerCase() });

export interface IrcSettings {
  readonly host: string;
  readonly port: number;
  readonly nick: string;
  readonly password?: () => string;
  readonly channels: readonly string[];
  /** How long the server may take to answer. */
  readonly patienceMs: number;
}

/** What was sent, and waits for its PONG. */
interface Sending {
  readonly token: string;
  readonly settle: (failure: SendError | null) => void;
  refusal?: SendError;
}

export class IrcAdapter implements Adapter {
  readonly platform = "irc";
  readonly account: string;
  readonly capabilities: Capabilities = { maxText: 400, unit: "bytes", edit: false, threads: false };
  readonly #settings: IrcSettings;
  readonly #sending: Sending[] = [];
  #socket: Socket | null = null;
  #closing = new AbortController();

  constructor(settings: IrcSettings) {
    this.#settings = settings;
    this.account = `${settings.nick}@${settings.host}`;
  }

  async connect(receive: Receive, { tell }: Surroundings): Promise<void> {
    this.#closing = new AbortController();
    this.#socket = await this.#signIn(receive, tell);
  }

  async send({ address, text, deliveryId }: OutboundMessage): Promise<{ messageId: string }> {
    const { chatId } = address;
    if (!this.#socket) throw new SendError("retryable", "IRC is not connected.");
    if (!/^[^\s:,][^\s,]*$/.test(chatId)) throw new SendError("permanent", "That is no name on IRC.");
    const token = randomUUID();
    const lines = [...linesOf(text).map((line) => `PRIVMSG ${chatId} :${line}`), `PING ${token}`];
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(""));
    const failure = await new Promise<SendError | null>((settle) => {
      this.#sending.push({ token, settle });
      setTimeout(() => settle(unanswered()), this.#settings.patienceMs).unref();
    });
    if (failure) throw failure;
    return { messageId: deliveryId };
  }

  async disconnect(): Promise<void> {
    this.#closing.abort();
    this.#socket?.destroy();
    this.#socket = null;
  }

  /** Settles when the server has let us in; a line that is lost after that is had again. */
  #signIn(receive: Receive, tell: Surroundings["tell"]): Promise<Socket> {
    const { host, port, nick, password, channels, patienceMs } = this.#settings;
    const { signal } = this.#closing;
    const socket = dial({ host, port, noDelay: true }).setKeepAlive(true, 60_000);
    const write = (...lines: string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(""));
    const tooLate = setTimeout(() => socket.destroy(), patienceMs);
    let handled: Promise<unknown> = Promise.resolve();
    let reason = "it does not answer";
    write(...(password ? [`PASS ${password()}`] : []), `NICK ${nick}`, `USER ${nick} 0 * :${nick}`);
    return new Promise<Socket>((signedIn, failed) => {
      socket.on("close", () => {
        clearTimeout(tooLate);
        failed(refused(host, reason));
        for (const { settle } of this.#sending.splice(0)) settle(unanswered());
        if (this.#socket === socket) void this.#comeBack(receive, tell, reason);
      });
      const lines = createInterface({ input: socket });
      lines.on("error", ({ message }) => {
        reason = message;
      });
      lines.on("line", (line) => {
        const { from, command, words } = parseLine(line);
        const [to = "", text = to] = [words[0], words.at(-1)];
        const isEcho = text.startsWith("\u0001PING ");
        if (command === "PING") write(`PONG :${text}`);
        else if (command === "001") write(...channels.map((channel) => `JOIN ${channel}`), "PING joined");
        else if (command === "PONG" && text !== "joined") this.#answered(text);
        else if (command === "PONG") {
          clearTimeout(tooLate);
          signedIn(socket);
        } else if (command === "ERROR") reason = text;
        else if (command === "433") {
          reason = text; // Perhaps ours: the server has not seen yet that our last line is gone.
          setTimeout(write, 100, `NICK ${nick}`).unref();
        } else if (/^4\d\d$/.test(command) && this.#sending[0])
          this.#sending[0].refusal ??= new SendError("permanent", `IRC refused it: ${text}.`);
        else if (command === "PRIVMSG" && isEcho)
          handled = handled.then(() => write(`NOTICE ${from} :${text}`));
        else if (command === "PRIVMSG")
          handled = handled
            .then((): unknown => signal.aborted || receive(inbound(from, to, text, nick)))
            .catch(() => {}); // IRC says nothing twice.
      });
    });
  }

  async #comeBack(receive: Receive, tell: Surroundings["tell"], reason: string): Promise<void> {
    const { signal } = this.#closing;
    this.#socket = null;
    tell({ lost: `The line to IRC is lost: ${reason}.` });
    for (let pauseMs = 100; !signal.aborted && !this.#socket; pauseMs = Math.min(2 * pauseMs, 60_000)) {
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      const socket = signal.aborted ? null : await this.#signIn(receive, tell).catch(() => null);
      if (signal.aborted) socket?.destroy();
      else this.#socket = socket;
    }
    if (this.#socket) tell("connected");
  }

  /** What was sent before this PING is there, or was refused. */
  #answered(token: string): void {
    const place = this.#sending.findIndex((each) => each.token === token);
    for (const { refusal, settle } of this.#sending.splice(0, place + 1)) settle(refusal ?? null);
  }
}

/** `:nick!user@host COMMAND one two :and the rest`. Any text is a line; one that makes no sense has an empty command. */
export function parseLine(line: string): { from: string; command: string; words: string[] } {
  const [, from = "", head = "", rest] = /^(?::([^ !]*)\S* +)?(.*?)(?: :(.*))?$/s.exec(line) ?? [];
  const [command = "", ...words] = head.split(" ").filter(Boolean);
  return { from, command, words: rest === undefined ? words : [...words, rest] };
}

function inbound(from: string, to: string, text: string, nick: string): InboundMessage {
  const isGroup = /^[#&+!]/.test(to);
  const [name = ""] = text.split(/[\s:,]/, 1);
  const isNamed = name.toLowerCase() === nick.toLowerCase();
  const said = isNamed ? text.slice(name.length).replace(/^[:,]?\s*/, "") : text;
  return {
    kind: "message",
    source: {
      platform: "irc",
      chatId: isGroup ? to : from,
      chatType: isGroup ? "group" : "dm",
      userId: from,
      userName: from,
    },
    messageId: randomUUID(),
    text: isGroup ? said : text,
    isAddressed: !isGroup || isNamed || text.startsWith("/"),
  };
}

/** One line of IRC each; control characters would end it, or colour it. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\p{Cc}/gu, "").trimEnd());
  return lines.filter((line) => line !== "");
}

function refused(host: string, reason: string): ConnectError {
  return /bad password/i.test(reason)
    ? new ConnectError("permanent", `${host} does not take the password: mend it in the settings.`)
    : new ConnectError("retryable", `${host} cannot be reached: ${reason}.`);
}

function unanswered(): SendError {
  return new SendError("unknown", "The server did not answer, so nobody knows whether it arrived.");
}
