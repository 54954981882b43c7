import { expect, it } from "vitest";
import { withFinishReason } from "./done-mark.js";

async function through(text: string, size: number): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  return new Response(source.pipeThrough(withFinishReason())).text();
}

const WORDS = 'data: {"choices":[{"delta":{"content":"Ünï [DONE]"},"finish_reason":null}]}\n\n';
const REASON = 'data: {"choices":[{"delta":{},"finish_reason": "length"}]}\n\n';
const ADDED = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

it.each([
  ["a mark without a reason gets one", `${WORDS}data: [DONE]\n\n`, `${WORDS}${ADDED}data: [DONE]\n\n`],
  ["a mark at the very end, too", `${WORDS}data: [DONE]`, `${WORDS}${ADDED}data: [DONE]`],
  ["a reason stays the only one", `${WORDS}${REASON}data: [DONE]\n\n`, `${WORDS}${REASON}data: [DONE]\n\n`],
  ["a stream without a mark was cut off", WORDS, WORDS],
  ["nothing stays nothing", "", ""],
])("%s", async (_, text, expected) => {
  for (const size of [1, 7, 1_000]) expect(await through(text, size)).toBe(expected);
});
