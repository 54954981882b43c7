/**
 * The way to Baileys, which is not installed with Baton: nothing of it is loaded before it is asked for, and if it is
 * missing, a sentence says what to install.
 */
import type { Adapter } from "../../adapter.js";
import type { BaileysSettings } from "./config.js";

const MISSING =
  "its Baileys mode needs a package that does not come with Baton. Install it with `npm install baileys@7.0.0-rc14`. " +
  "Know that it is an unofficial client, for whose use WhatsApp can ban the account, and that its Signal library " +
  "(libsignal) is under the GPL-3.0.";

export async function openBaileys(settings: BaileysSettings): Promise<Adapter> {
  const { BaileysAdapter } = await loaded(() => import("./adapter.js"));
  return new BaileysAdapter(settings);
}

/** Links this machine to the account; it calls `say` with what a person has to do. */
export async function linkBaileys(
  settings: BaileysSettings,
  say: (line: string) => void,
  end: AbortSignal,
  columns: number,
): Promise<void> {
  const { link } = await loaded(() => import("./link.js"));
  await link(settings, say, end, columns);
}

async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" && /'baileys'/.test(message))
      throw new Error(MISSING, { cause: error });
    throw error;
  }
}
