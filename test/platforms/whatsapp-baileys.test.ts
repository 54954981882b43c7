import { journey } from "../support/http-platform-journey.js";
import { CrablineWeb } from "../support/whatsapp-crabline.js";

const ANN = "15551234567";
const EVE = "15556660666";

journey(
  "WhatsApp, by Baileys",
  async () => {
    const world = await CrablineWeb.open();
    return {
      options: {
        platform: "whatsapp",
        adapter: "baileys",
        settings: world.settings,
        secrets: {},
        people: [ANN],
      },
      write: (text) => world.write(text, ANN),
      writeAsStranger: (text) => world.write(text, EVE),
      told: () => world.sentTo(ANN),
      close: () => world.close(),
    };
  },
  4_096,
);
