import { journey } from "../support/http-platform-journey.js";
import { SlackServer } from "../support/slack-server.js";

journey(
  "Slack, by posts",
  async () => {
    const server = await SlackServer.start({ http: true });
    const chat = await server.dm("ann");
    return {
      options: {
        platform: "slack",
        settings: { baseUrl: server.url, webhook: { port: 0 } },
        secrets: { botToken: server.botToken, signingSecret: server.signingSecret },
        people: [server.idOf("ann")],
      },
      reached: ({ port }) => {
        server.requestUrl = `http://127.0.0.1:${port}/slack`;
      },
      write: (text) => server.write({ text }),
      writeAsStranger: (text) => server.write({ text, in: "group", mentions: true, from: "carol" }),
      repeat: () => server.retry(),
      told: () =>
        server.calls.flatMap(({ method, args }) =>
          method === "chat.postMessage" && args.channel === chat ? (args.text ?? "") : [],
        ),
      close: () => server.close(),
    };
  },
  4_000,
);
