/** Files of messages: fetched by the message and the key, with the app's token, and only once their sender was let in. */
import type { RemoteFile } from "../adapter.js";
import type { FeishuApi } from "./api.js";
import { isKey, isMessage } from "./ids.js";
import type { FeishuFile } from "./said.js";

export function remoteFile(api: FeishuApi, file: FeishuFile): RemoteFile {
  const { name, mediaType, voice, type, messageId, key } = file;
  return {
    ...(name ? { name } : {}),
    mediaType,
    ...(voice ? { voice } : {}),
    ref: `${type} ${messageId} ${key}`,
    read: (maxBytes, end) => download(api, type, messageId, key, maxBytes, end),
  };
}

/** By a reference that `remoteFile` gave out. */
export async function fetchFile(
  api: FeishuApi,
  ref: string,
  maxBytes: number,
  end: AbortSignal,
): Promise<Uint8Array> {
  const [type, messageId, key] = ref.split(" ");
  if ((type !== "image" && type !== "file") || !isMessage(messageId) || !isKey(key))
    throw new Error("it is no file of Feishu's");
  return download(api, type, messageId, key, maxBytes, end);
}

function download(
  api: FeishuApi,
  type: FeishuFile["type"],
  messageId: string,
  key: string,
  maxBytes: number,
  end: AbortSignal,
): Promise<Uint8Array> {
  return api.download(`/im/v1/messages/${messageId}/resources/${key}?type=${type}`, maxBytes, end);
}
