/**
 * Servers that speak OpenAI's protocol end a stream with `data: [DONE]`. Some of them never say why the model ended: then
 * that mark is a clean end. A stream without it was cut off.
 */
const CLEAN_END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const REASON = /"finish_reason"\s*:\s*"/;
const DONE = /^data:\s?\[DONE\]\s*$/;

/** The same events, with a reason before the mark if there was none. */
export function withFinishReason(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held = "";
  let hasReason = false;
  const completed = (line: string): string => {
    hasReason ||= REASON.test(line);
    if (hasReason || !DONE.test(line)) return line;
    hasReason = true;
    return CLEAN_END + line;
  };
  const lines = (text: string): string => {
    const end = text.lastIndexOf("\n") + 1;
    const whole = held + text.slice(0, end);
    held = end === 0 ? held + text : text.slice(end);
    return end === 0
      ? ""
      : whole
          .split(/(?<=\n)/)
          .map(completed)
          .join("");
  };
  return new TransformStream({
    transform(chunk, controller) {
      const text = lines(decoder.decode(chunk, { stream: true }));
      if (text !== "") controller.enqueue(encoder.encode(text));
    },
    flush(controller) {
      const rest = completed(held + decoder.decode());
      if (rest !== "") controller.enqueue(encoder.encode(rest));
    },
  });
}

/** `fetch` for servers that speak OpenAI's protocol. */
export function fetchWithReason(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    if (!response.ok || !response.body || !isStream) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(withFinishReason()), { status, statusText, headers });
  };
}
