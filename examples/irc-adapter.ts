/** IRC as a platform, without message ids, history or receipts: docs/writing-an-adapter.md goes through it. */
import { connect as dial } from "node:net";
import { createInterface } from "node:readline";
import type { Adapter, InboundMessage, Letter, Line, Speaker } from "baton-gateway";
import { ConnectError, Intake, registerPlatform, SendError } from "baton-gateway";

registerPlatform("irc", { title: "IRC", foldId: (id) => id.toLowerCase() });

export interface IrcSettings {
  readonly host: string;
  readonly port: number;
  readonly nick: string;
  readonly password: () => string;
  readonly channels: readonly string[];
  readonly patienceMs: number;
}

/** Settles when the server has dealt with these lines: with null where it took them. */
type Ask = (...lines: readonly string[]) => Promise<SendError | null>;

/** `:nick!user@host COMMAND to and so on :text`; whatever else comes has no command that we know. */
const LINE = /^(?::([^ !]*)\S* +)?(\S*)(?: +([^ :]\S*))?(?:.*? :(.*))?/s;

export class IrcAdapter implements Adapter {
  readonly platform = "irc";
  readonly account: string;
  readonly capabilities = { maxText: 400, unit: "bytes", edit: false, threads: false } as const;
  readonly #settings: IrcSettings;

  constructor(settings: IrcSettings) {
    this.#settings = settings;
    this.account = `${settings.nick}@${settings.host}`;
  }

  /** One connection, from signing in until it ends. The server answers in order, so a PONG is for the oldest PING. */
  async serve({ receive, up, end }: Line): Promise<void> {
    const { host, port, nick, password, channels, patienceMs } = this.#settings;
    const socket = dial({ host, port, noDelay: true, keepAlive: true, timeout: patienceMs });
    const write = (...lines: readonly string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(""));
    const intake = new Intake();
    const take = (it: InboundMessage) => intake.once(it.source.chatId, () => receive(it)).catch(() => {});
    const asked: ((failure: SendError | null) => void)[] = [() => {}]; // The first one is to be let in.
    const ask: Ask = async (...lines) => {
      if (socket.destroyed) return new SendError("retryable", "IRC is not connected.");
      write(...lines, "PING baton");
      return new Promise((settle) => asked.push(settle));
    };
    end.addEventListener("abort", () => ask("QUIT"));
    socket.on("timeout", () => asked.length > 0 && socket.destroy(new Error("no answer")));
    socket.on("close", () => asked.map((settle) => settle(new SendError("unknown", "IRC did not answer."))));
    write(`PASS ${password()}`, `NICK ${nick}`, `USER ${nick} 0 * :${nick}`);
    for await (const line of createInterface({ input: socket })) {
      const [, from = "", command = "", to = "", text = to] = LINE.exec(line) ?? [];
      if (command === "PING") write(`PONG :${text}`);
      else if (command === "001") write(...channels.map((channel) => `JOIN ${channel}`), "PING baton");
      else if (command === "PONG") {
        up(speaker(ask));
        asked.shift()?.(null);
      } else if (command === "ERROR" || command === "433")
        socket.destroy(new ConnectError(/password/i.test(text) ? "permanent" : "retryable", text));
      else if (/^4\d\d$/.test(command)) asked[0]?.(new SendError("permanent", `IRC refused it: ${text}`));
      else if (text.startsWith("\u0001PING ")) write(`NOTICE ${from} :${text}`);
      // Each chat in order, chats side by side; what could not be received is lost, for IRC says nothing twice.
      else if (command === "PRIVMSG") take(inbound(from, to, text, nick));
    }
  }
}

function speaker(ask: Ask): Speaker {
  return {
    send: async ({ address: { chatId }, text, deliveryId }: Letter) => {
      if (!/^[^\s:,][^\s,]*$/.test(chatId)) throw new SendError("permanent", "That is no name on IRC.");
      // Each line is a message; control characters would end it, or colour it.
      const lines = text.split("\n").map((line) => line.replace(/\p{Cc}/gu, "").trimEnd());
      const failure = await ask(...lines.filter(Boolean).map((line) => `PRIVMSG ${chatId} :${line}`));
      if (failure) throw failure;
      return { messageId: deliveryId };
    },
  };
}

function inbound(from: string, to: string, text: string, nick: string): InboundMessage {
  const [chatType, chatId] = /^[#&+!]/.test(to) ? (["group", to] as const) : (["dm", from] as const);
  const isNamed = chatType === "group" && text.split(/[\s:,]/, 1)[0]?.toLowerCase() === nick.toLowerCase();
  return {
    kind: "message",
    source: { platform: "irc", chatId, chatType, userId: from, userName: from },
    messageId: crypto.randomUUID(),
    text: isNamed ? text.slice(nick.length).replace(/^[:,]?\s*/, "") : text,
    isAddressed: chatType === "dm" || isNamed || text.startsWith("/"),
  };
}
