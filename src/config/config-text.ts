/** The text of a config file. Reading it loads no parser. */
import { readFile, stat } from "node:fs/promises";

/** Null where there is none. A pipe is refused: reading it could take forever. */
export async function configText(file: string): Promise<string | null> {
  try {
    const found = await stat(file);
    if (found.isFIFO() || found.isSocket()) throw new Error("it is not a file. Move it away");
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
