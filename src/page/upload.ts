/** Uploads one file. Only XMLHttpRequest tells how far it is. */
import { MAX_INBOUND_FILE } from "../adapter/inbound-limit.js";
import { LIMITS } from "../adapter/web/limits.js";
import type { Uploaded } from "../adapter/web/wire.js";
import { failureOf, OURS } from "./call.js";
import type { UnsentFile } from "./unsent.js";
import { isolated } from "./words.js";

/** Resolves with how to refer to it. */
export function upload({ bytes }: UnsentFile, onPart: (part: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("PUT", "/api/files");
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
  if (before >= LIMITS.maxAlbum) return `You can attach at most ${LIMITS.maxAlbum} files to a message.`;
  if (size > MAX_INBOUND_FILE) return `${isolated(name)} is larger than ${MAX_INBOUND_FILE / 2 ** 20} MB.`;
  if (size === 0) return `${isolated(name)} is empty.`;
  return null;
}
