/** Which address is which place of the page. */

export type ShownPlace =
  | { readonly kind: "chat"; readonly thread: string | null }
  | { readonly kind: "conversation"; readonly id: string; readonly at: number | null }
  | { readonly kind: "view"; readonly path: string };

const THREAD = /^[A-Za-z0-9_-]{8,64}$/;

export function placeOf(address: string): ShownPlace {
  const [path = "/", query = ""] = address.split("?");
  const [, first = "", second = ""] = path.split("/");
  if (first === "chat" && THREAD.test(second)) return { kind: "chat", thread: second };
  if (first === "conversation" && second !== "") {
    const at = Number(new URLSearchParams(query).get("at") ?? Number.NaN);
    return { kind: "conversation", id: decoded(second), at: Number.isSafeInteger(at) ? at : null };
  }
  if (first === "" || first === "chat") return { kind: "chat", thread: null };
  return { kind: "view", path };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function addressOfChat(thread: string | null): string {
  return thread === null ? "/" : `/chat/${thread}`;
}

interface Findable {
  readonly id: string;
  readonly thread?: string | null;
  readonly endedAt: number | null;
}

/** Where somebody goes on with a conversation if that is in the page; else where they read it. */
export function addressOfSession({ id, thread, endedAt }: Findable): string {
  if (thread !== undefined && endedAt === null) return addressOfChat(thread);
  return `/conversation/${encodeURIComponent(id)}`;
}
