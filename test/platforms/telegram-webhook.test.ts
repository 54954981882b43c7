import { journey } from "../support/http-platform-journey.js";
import { WEBHOOK_URL } from "../support/telegram-fixture.js";
import { TelegramServer } from "../support/telegram-server.js";

const ANN = "100001";

journey(
  "Telegram, by a webhook",
  async () => {
    const server = await TelegramServer.start();
    const write = (text: string, chatId = ANN) => {
      const entities = text.startsWith("/")
        ? { entities: [{ type: "bot_command", offset: 0, length: text.split(" ")[0]?.length }] }
        : {};
      return server.deliver({ chatId, fromId: Number(chatId), text, ...entities });
    };
    return {
      options: {
        platform: "telegram",
        settings: { baseUrl: server.url, webhook: { url: WEBHOOK_URL, port: 0 } },
        secrets: { token: server.token },
        people: [ANN],
      },
      reached: ({ port }) => {
        server.posts.reach = (url) => `http://127.0.0.1:${port}${new URL(url).pathname}`;
      },
      write,
      writeAsStranger: (text) => write(text, "100009"),
      repeat: () => server.redeliver(),
      told: () => server.sentTo(ANN).flatMap(({ file, text }) => (file ? [] : [text])),
      swallowFile: () => server.trouble("held"),
      files: () => server.sentTo(ANN).flatMap(({ file }) => (file ? Buffer.from(file.bytes).toString() : [])),
      close: () => server.close(),
    };
  },
  4_096,
);
