/** The text of a config file. Reading it loads no parser. */
import { readFile, stat } from "node:fs/promises";
import { refuseOtherKinds } from "../util/file-problem.js";

/** Null where there is none. */
export async function configText(file: string): Promise<string | null> {
  try {
    refuseOtherKinds(await stat(file));
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
