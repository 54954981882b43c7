/** `fetch` for models: it follows no redirect, which could carry the key elsewhere, and an answer has an end. */

/** More than any answer is; what goes on beyond it is broken off. */
const MAX_BYTES = 64 * 1024 * 1024;

export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "error" });
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
