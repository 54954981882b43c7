import { journey } from "../support/http-platform-journey.js";
import { ACCOUNT, ANN, SignalWorld } from "../support/signal-world.js";

const EVE = { number: "+15556660666", uuid: "e0000000-0000-4000-8000-000000000666", name: "Ann" };

journey(
  "Signal",
  async () => {
    const world = await SignalWorld.open();
    return {
      options: {
        platform: "signal",
        settings: { baseUrl: world.baseUrl, account: ACCOUNT },
        secrets: {},
        people: [ANN.uuid],
      },
      write: (text) => world.write(text),
      writeAsStranger: (text) => world.write(text, EVE),
      told: () => world.sentTo(ANN.number).map(({ params }) => String(params.message)),
      swallowFile: () => world.swallowFile(),
      files: () =>
        world
          .sentTo(ANN.number)
          .flatMap(({ params }) =>
            ((params.attachments ?? []) as string[]).map((uri) =>
              Buffer.from(uri.split("base64,")[1] ?? "", "base64").toString(),
            ),
          ),
      close: () => world.close(),
    };
  },
  2_048,
);
