/**
 * The files that people sent in the conversation: tools that read may use their folder too, and need no approval for what
 * is in it. It is only opened if a path leads there, or a command runs in the sandbox, which sees it then.
 */
import { readdir } from "node:fs/promises";
import { isWithin } from "../../util/within.js";
import type { GivenFiles, ToolContext } from "../agent.js";
import type { Check, Confined } from "./confined.js";
import { approvedOnly } from "./file-danger.js";

export interface ReadablePlace {
  readonly confined: Confined;
  readonly check: Check;
}

export async function readableBy(
  confined: Confined,
  context: ToolContext,
  path: string,
): Promise<ReadablePlace> {
  const { files } = context;
  if (!files || !isWithin(files.folder, path)) {
    return { confined, check: approvedOnly(confined, "read", context) };
  }
  await files.fill();
  return { confined: confined.granting(files.folder), check: async () => {} };
}

/** Their folder, with all of them in it; undefined if nobody sent any. */
export async function folderWithFiles(files: GivenFiles): Promise<string | undefined> {
  await files.fill();
  return (await readdir(files.folder)).length > 0 ? files.folder : undefined;
}
