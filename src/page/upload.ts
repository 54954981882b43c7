/** Uploads one file. Only XMLHttpRequest tells how far it is. */
import type { Uploaded } from "../adapter/web/wire.js";
import { failureOf, OURS } from "./call.js";
import type { UnsentFile } from "./unsent.js";

const MOST_FILES = 10;
const LARGEST_FILE = 50 * 2 ** 20;

/** Resolves with how to refer to it. */
export function upload({ name, bytes }: UnsentFile, onPart: (part: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("PUT", `/api/files?name=${encodeURIComponent(name)}`);
    call.setRequestHeader("content-type", "application/octet-stream");
    for (const [header, value] of Object.entries(OURS)) call.setRequestHeader(header, value);
    call.upload.onprogress = ({ loaded, total }) => onPart(total > 0 ? loaded / total : 0);
    call.onerror = () => reject(failureOf(0, undefined));
    call.onload = () => {
      const body = parsed(call.responseText);
      const { ref } = (body ?? {}) as Partial<Uploaded>;
      if (call.status === 200 && typeof ref === "string") resolve(ref);
      else reject(failureOf(call.status, body));
    };
    call.send(new Blob([bytes], { type: "application/octet-stream" }));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why it can't be attached; null if it can. */
export function fileProblem(
  { name, size }: { readonly name: string; readonly size: number },
  before: number,
) {
  if (before >= MOST_FILES) return `You can attach at most ${MOST_FILES} files to a message.`;
  if (size > LARGEST_FILE) return `${name} is larger than 50 MB.`;
  if (size === 0) return `${name} is empty.`;
  return null;
}
