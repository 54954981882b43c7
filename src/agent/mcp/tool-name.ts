/**
 * The name of a server's tool in a turn: `<server>_<tool>`, in the characters and the length that every model accepts.
 * What holds: two tools never share a name, and a name never passes from one tool to another. Server names contain no
 * underscore, so the first one separates the two parts; a name that had to be changed gets a hash at its end.
 */
import { createHash } from "node:crypto";

const LONGEST = 64;
const MARK = 8;

/** `reserved`: names of tools that do not come from servers. */
export function toolName(server: string, tool: string, reserved: ReadonlySet<string>): string {
  const plain = `${server}_${tool}`;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(plain) && !reserved.has(plain)) return plain;
  const mark = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, MARK);
  const safe = plain.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, LONGEST - MARK - 1);
  return `${safe}_${mark}`;
}
