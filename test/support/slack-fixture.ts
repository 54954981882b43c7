/** Both ends of Slack for the adapter's contract: the adapter as it is opened, and the server that plays the rest. */
import type { Line } from "../../src/adapter/adapter.js";
import { SlackAdapter } from "../../src/adapter/slack/adapter.js";
import type { SlackSettings } from "../../src/adapter/slack/config.js";
import { toMrkdwn } from "../../src/adapter/slack/format.js";
import type { Address } from "../../src/session/source.js";
import type { DoorFault, Fault, Trouble, Written } from "../../src/testing/adapter/fixture.js";
import { SlackServer } from "./slack-server.js";

/** By a socket. */
export const slackSettings = (server: SlackServer): SlackSettings => ({
  botToken: () => server.botToken,
  appToken: () => server.appToken,
  baseUrl: server.url,
  timeoutMs: 4_000,
});

/** By posts. */
export const slackHttpSettings = (server: SlackServer): SlackSettings => ({
  botToken: () => server.botToken,
  signingSecret: () => server.signingSecret,
  webhook: { port: 0 },
  baseUrl: server.url,
  timeoutMs: 4_000,
});

/** Slack posts to it from when it is up, and what nobody acknowledged first. */
export class Reachable extends SlackAdapter {
  readonly #server: SlackServer;

  constructor(server: SlackServer, more: Partial<SlackSettings> = {}) {
    super({ ...slackHttpSettings(server), ...more });
    this.#server = server;
  }

  override serve(line: Line): Promise<void> {
    const up: Line["up"] = (speaker) => {
      line.up(speaker);
      this.#server.requestUrl = `http://127.0.0.1:${this.port}/slack`;
      void this.#server.retry();
    };
    return super.serve({ ...line, up });
  }
}

export async function slackFixture({ http = false } = {}) {
  // The adapter's two envelopes for one mention are one message to the gateway; the contract counts at the adapter.
  const server = await SlackServer.start({ mentionEvents: false, http });
  const open = () => (http ? new Reachable(server) : new SlackAdapter(slackSettings(server)));
  const [adapter, next] = [open(), open()];
  const address = { platform: "slack", chatId: await server.dm() };
  const chatOf = (at: Address = address) => server.said(at.chatId, at.threadId);
  return {
    adapter,
    address,
    group: { platform: "slack", chatId: server.channel },
    nowhere: { platform: "slack", chatId: "C0NOWHERE" },
    again: () => next,
    write: (written: Written) => server.write(written),
    amend: (messageId: string, text: string) => server.amend(messageId, text),
    press: (messageId: string, label: string, by: Pick<Written, "in" | "from"> = {}) =>
      server.press(messageId, label, {
        ...(by.from === undefined ? {} : { from: by.from }),
        ...(by.in === "group" ? { channel: server.channel } : {}),
      }),
    react: (messageId: string, emoji: string, by: Pick<Written, "in" | "from"> = {}) =>
      server.react("reaction_added", messageId, emoji, by),
    takeOff: (messageId: string, emoji: string) => server.react("reaction_removed", messageId, emoji),
    buttonsOn: (messageId: string) => server.buttonsOn(messageId),
    redeliver: () => server.redeliver(),
    isAcknowledged: (messageId: string) => server.isAcknowledged(messageId),
    shown: async (at?: Address) =>
      (await chatOf(at)).filter(({ files, text }) => !files || text !== "").map(({ text }) => text),
    notified: async () => (await chatOf()).flatMap(({ text }) => text.match(/<[!@][^>]*>/g) ?? []),
    files: async (at?: Address) => {
      const files = (await chatOf(at)).flatMap((message) => message.files ?? []);
      return Promise.all(
        files.map(async ({ name, url_private }) => ({ name, bytes: await server.download(url_private) })),
      );
    },
    marks: async (messageId: string) => {
      const all = [...(await server.messages(address.chatId)), ...(await server.messages(server.channel))];
      return all.find(({ ts }) => ts === messageId)?.reactions?.map(({ name }) => name) ?? [];
    },
    status: ({ chatId, threadId }: Address) => server.statuses.get(`${chatId}:${threadId}`) ?? "",
    threads: async ({ chatId }: Address) =>
      (await server.said(chatId)).filter(({ ts, thread_ts = ts }) => ts === thread_ts).length,
    trouble: (what: Trouble) => server.trouble(what),
    way: (fault: Fault) => server.faults.play(fault),
    door: (fault: DoorFault) => server.faults.door(fault),
    // By posts there is no line that could be cut.
    ...(http ? {} : { cut: () => server.cut() }),
    asShown: toMrkdwn,
    dispose: () => server.close(),
  };
}
