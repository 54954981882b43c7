/**
 * `fetch` for models. It follows no redirects, which could send the key to another server, and it bounds the answer.
 */
import { parsedUrl } from "../../util/parsed-url.js";
import { proxyFailureIn } from "../../util/proxy-in-use.js";
import type { Hide } from "../../util/redact.js";
import { StreamFailure } from "./failure.js";

/** Larger than any answer; Baton stops reading there. */
const MAX_BYTES = 64 * 1024 * 1024;

const REDIRECTS = [301, 302, 303, 307, 308];

export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" }).catch((error: Error) => {
    const { cause } = error;
    if (cause instanceof Error && cause.message === "bad port") throw new StreamFailure("bad port");
    throw proxyFailure(error) ?? error;
  });
  if (REDIRECTS.includes(response.status)) {
    await response.body?.cancel();
    throw new StreamFailure("elsewhere", destination(response));
  }
  if (response.ok && /^text\/html\b/i.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    throw new StreamFailure("no path");
  }
  if (!response.body) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) controller.error(new Error(`The answer is longer than ${MAX_BYTES} bytes.`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
};

function proxyFailure(error: Error): StreamFailure | null {
  const failure = proxyFailureIn(error);
  if (!failure) return null;
  const { proxy, status } = failure;
  if (status === 407) return new StreamFailure("proxy refused", `${proxy} wants a user name and a password`);
  if (status !== null && status < 500)
    return new StreamFailure("proxy refused", `${proxy} refused the connection (HTTP ${status})`);
  return new StreamFailure("proxy", status === null ? proxy : `${proxy} (it answered HTTP ${status})`);
}

/** The same, and removes known secrets from what is sent; the key is in a header. */
export function hidingFetch(hide: Hide): typeof fetch {
  return (input, init) => {
    const body = init?.body;
    return boundedFetch(input, typeof body === "string" ? { ...init, body: hide(body) } : init);
  };
}

/** The target of a redirect, without what may be secret in it; empty if the server does not say. */
function destination({ url, headers }: Response): string {
  const location = headers.get("location") ?? "";
  const target = location === "" ? null : parsedUrl(location, url);
  return target ? `${target.origin}${target.pathname}` : "";
}
