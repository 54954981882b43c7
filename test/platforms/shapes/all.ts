/** Every platform's shapes, one line each. */
import { discordShapes } from "./discord.js";
import { feishuShapes } from "./feishu.js";
import { matrixShapes } from "./matrix.js";
import { mattermostShapes } from "./mattermost.js";
import type { PlatformShapes } from "./shape.js";
import { signalShapes } from "./signal.js";
import { slackShapes } from "./slack.js";
import { telegramShapes } from "./telegram.js";
import { whatsappShapes } from "./whatsapp.js";
import { baileysShapes } from "./whatsapp-baileys.js";

export const ALL_SHAPES: readonly PlatformShapes[] = [
  telegramShapes,
  discordShapes,
  slackShapes,
  whatsappShapes,
  baileysShapes,
  signalShapes,
  matrixShapes,
  mattermostShapes,
  feishuShapes,
];
