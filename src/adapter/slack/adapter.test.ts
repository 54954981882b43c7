import { SlackServer } from "../../../test/support/slack-server.js";
import { adapterContract } from "../../testing/adapter-contract.js";
import { openSlack, type SlackSettings } from "./config.js";
import { toMrkdwn } from "./format.js";

const settingsOf = (server: SlackServer): SlackSettings => ({
  botToken: () => server.botToken,
  appToken: () => server.appToken,
  baseUrl: server.url,
  timeoutMs: 1_000,
});

adapterContract("slack", async () => {
  // The adapter's two envelopes for one mention are one message to the gateway; the contract counts at the adapter.
  const server = await SlackServer.start({ mentionEvents: false });
  const [adapter, next] = await Promise.all([openSlack(settingsOf(server)), openSlack(settingsOf(server))]);
  const address = { platform: "slack", chatId: await server.dm() };
  const chatOf = (at = address as { chatId: string; threadId?: string }) =>
    server.said(at.chatId, at.threadId);
  return {
    adapter,
    address,
    group: { platform: "slack", chatId: server.channel },
    again: () => next,
    write: (written) => server.write(written),
    amend: (messageId, text) => server.amend(messageId, text),
    redeliver: () => server.redeliver(),
    shown: async (at) => (await chatOf(at)).filter(({ files }) => !files).map(({ text }) => text),
    files: async (at) => {
      const files = (await chatOf(at)).flatMap((message) => message.files ?? []);
      return Promise.all(
        files.map(async ({ name, url_private }) => ({ name, bytes: await server.download(url_private) })),
      );
    },
    marks: async (messageId) => {
      const all = [...(await server.messages(address.chatId)), ...(await server.messages(server.channel))];
      return all.find(({ ts }) => ts === messageId)?.reactions?.map(({ name }) => name) ?? [];
    },
    trouble: (what) => server.trouble(what),
    cut: () => server.cut(),
    asShown: toMrkdwn,
    dispose: async () => {
      await next.disconnect();
      await server.close();
    },
  };
});
