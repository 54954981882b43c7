/** `baton setup`: sets up the model provider, or a chat platform. */
import type { Platform } from "../../session/platform.js";
import type { Cli } from "../cli.js";
import type { SetupOptions } from "./run.js";

export async function setup(cli: Cli, platform: Platform | undefined, options: SetupOptions): Promise<void> {
  if (platform === undefined) return (await import("./run.js")).setup(cli, options);
  return (await import("./platform/run.js")).setupPlatform(cli, platform, options);
}
