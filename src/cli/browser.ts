/** Opens a page in the person's browser, if there is one where they sit. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { browserEnvironment } from "../config/environment.js";

/** What opens an address, by the system. The address is an argument: no shell reads it. */
function openerFor(platform: NodeJS.Platform, address: string): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open", address];
  // `start` would be a command of the shell.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", address];
  return ["xdg-open", address];
}

/** False if there is no such program. Whether a window came up, nobody tells. */
export async function openInBrowser(address: string): Promise<boolean> {
  const [program, ...args] = openerFor(process.platform, address);
  const child = spawn(program, args, { stdio: "ignore", detached: true, env: browserEnvironment() });
  try {
    await once(child, "spawn");
  } catch {
    return false;
  }
  child.unref();
  return true;
}
