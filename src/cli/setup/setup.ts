/** `baton setup`: sets up the model provider, or a chat platform. */
import { InputError } from "../../session/errors.js";
import { registerFurtherBot } from "../../session/further-bot.js";
import type { Platform } from "../../session/platform.js";
import type { Cli } from "../cli.js";
import { wrongUsage } from "../failure.js";
import type { SetupOptions } from "./run.js";

export async function setup(
  cli: Cli,
  platform: Platform | undefined,
  { as, ...options }: SetupOptions & { readonly as?: string },
): Promise<void> {
  if (platform === undefined) {
    if (as !== undefined) throw wrongUsage("Name the platform too: baton setup <platform> --as <name>.");
    return (await import("./run.js")).setup(cli, options);
  }
  const name = as === undefined ? platform : furtherBot(platform, as);
  return (await import("./platform/run.js")).setupPlatform(cli, name, options);
}

/** Its name; known from now on, though no file has it yet. */
function furtherBot(platform: Platform, as: string): Platform {
  const name = as.startsWith(`${platform}-`) ? as : `${platform}-${as}`;
  try {
    registerFurtherBot(name, platform);
    return name;
  } catch (error) {
    if (error instanceof InputError) throw wrongUsage(`--as ${as}: ${error.message}`);
    throw error;
  }
}
