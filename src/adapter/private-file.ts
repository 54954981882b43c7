/** Files that an adapter keeps keys in: the owner's alone, and replaced in one step, so that none is ever half written. */
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../util/make-folder.js";

export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  makeFolder(dirname(path));
  const beside = `${path}.${process.pid}.new`;
  const file = await open(beside, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path).catch(async (error) => {
    await rm(beside, { force: true });
    throw error;
  });
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
