import { journey } from "../support/http-platform-journey.js";
import { ANN, WhatsAppWorld } from "../support/whatsapp-world.js";

journey(
  "WhatsApp",
  async () => {
    const world = await WhatsAppWorld.open();
    const { accessToken, appSecret, verifyToken, ...settings } = world.settings;
    return {
      options: {
        platform: "whatsapp",
        settings,
        secrets: { accessToken: accessToken(), appSecret: appSecret(), verifyToken: verifyToken() },
        people: [`+${ANN}`],
      },
      reached: ({ port }) => {
        world.port = port;
      },
      write: (text) => world.write(text),
      writeAsStranger: (text) => world.write(text, { from: "15556660666", name: "Ann" }),
      repeat: () => world.deliverMissed(),
      told: () =>
        world.sent
          .filter(({ body }) => body.to === ANN)
          .map(({ body }) => (body.text as { body: string } | undefined)?.body ?? ""),
      swallowFile: () => world.swallowFile(),
      files: () =>
        world.sent.flatMap(({ body }) => {
          const { id = "" } = body[String(body.type)] as { id?: string };
          return world.media.get(id)?.bytes.toString() ?? [];
        }),
      close: () => world.close(),
    };
  },
  4_096,
);
