/** Every platform's shapes, one line each. */
import { discordShapes } from "./discord.js";
import type { PlatformShapes } from "./shape.js";
import { telegramShapes } from "./telegram.js";

export const ALL_SHAPES: readonly PlatformShapes[] = [telegramShapes, discordShapes];
