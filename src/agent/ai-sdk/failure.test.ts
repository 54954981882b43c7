import { describe, expect, it } from "vitest";
import { announceProxies } from "../../util/proxy-in-use.js";
import type { Endpoint } from "./endpoint.js";
import { failureOf, StreamFailure, sentenceFor } from "./failure.js";

const NOW = Date.UTC(2026, 10, 15);

function answered(status: number, body: string, headers: Record<string, string> = {}): Error {
  const fields = { statusCode: status, responseBody: body, responseHeaders: headers };
  return Object.assign(new Error(/"message":"([^"]*)/.exec(body)?.[1] ?? ""), fields);
}

const kind = (error: unknown) => failureOf(error, NOW, "").kind;

describe("a conversation that is too long, as each server says it", () => {
  it.each([
    [
      400,
      '{"error":{"message":"This model\'s maximum context length is 8192 tokens.","code":"context_length_exceeded"}}',
    ],
    [
      400,
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
    ],
    [
      400,
      '{"error":{"message":"input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"}}',
    ],
    [
      413,
      '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    ],
    [
      500,
      '{"error":{"code":500,"message":"the request exceeds the available context size. try increasing it","type":"exceed_context_size_error"}}',
    ],
    [
      400,
      '{"object":"error","message":"The decoder prompt (length 9000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller"}',
    ],
    [400, '{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens."}}'],
    [
      400,
      '{"error":{"message":"This endpoint\'s maximum context length is 32768 tokens. Please reduce the length of either one."}}',
    ],
    [
      400,
      '{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}',
    ],
  ])("%i %s", (status, body) => {
    expect(kind(answered(status, body))).toBe("too long");
  });

  it("also in the middle of a stream, but never because the conversation speaks of it", () => {
    expect(kind({ message: "maximum context length reached", code: 400 })).toBe("too long");
    expect(kind(new Error("JSON parsing failed: Text: about the context window"))).toBe("broken");
    expect(kind(answered(429, '{"error":{"message":"Rate limit: reduce the length"}}'))).toBe("busy");
  });
});

describe("other failures", () => {
  it.each([
    [401, "", "key"],
    [403, "", "refused"],
    [402, "", "quota"],
    [429, '{"error":{"code":"insufficient_quota"}}', "quota"],
    [400, '{"error":{"message":"Your credit balance is too low"}}', "quota"],
    [429, "", "busy"],
    [404, '{"error":{"message":"The model `x` does not exist"}}', "no model"],
    [400, '{"error":{"message":"registry.ollama.ai/library/x does not support tools"}}', "no tools"],
    [404, '{"error":{"message":"No endpoints found that support tool use."}}', "no tools"],
    [404, '{"error":{"message":"No endpoints found that support image input"}}', "no images"],
    [400, '{"error":{"message":"image_url is only supported by certain models"}}', "no images"],
    [400, '{"error":{"message":"Could not process image"}}', "bad image"],
    [400, '{"error":{"message":"You uploaded an unsupported image."}}', "bad image"],
    [
      400,
      '{"error":{"message":"Function tools with reasoning_effort are not supported","param":"reasoning_effort"}}',
      "no effort",
    ],
    [400, '{"error":{"message":"Nope"}}', "refused"],
    [408, "", "server"],
    [500, "<html>", "server"],
    [529, '{"error":{"type":"overloaded_error"}}', "server"],
  ])("%i %s is %s", (status, body, expected) => {
    expect(kind(answered(status, body))).toBe(expected);
  });

  it("of the network are told from those of a stream", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(kind(new Error("Cannot connect to API", { cause: refused }))).toBe("unreachable");
    expect(kind(new Error("x", { cause: Object.assign(new Error("y"), { code: "ENOTFOUND" }) }))).toBe(
      "unreachable",
    );
    expect(kind(Object.assign(new Error("x"), { code: "ECONNRESET" }))).toBe("broken");
    expect(kind({ type: "overloaded_error", message: "Overloaded" })).toBe("server");
    expect(kind({ message: "Provider returned error", code: 429 })).toBe("busy");
    expect(kind("just text")).toBe("server");
    expect(kind(undefined)).toBe("server");
  });
});

describe("what the server asks us to wait", () => {
  it.each([
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": new Date(NOW + 9_000).toUTCString() }, 9_000],
    [{ "retry-after": new Date(NOW - 9_000).toUTCString() }, 0],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "soon" }, null],
    [{}, null],
  ])("%o", (headers, ms) => {
    expect(failureOf(answered(429, "", headers), NOW, "").retryAfterMs).toBe(ms);
  });
});

describe("a sentence", () => {
  const endpoint: Endpoint = {
    protocol: "openai",
    baseUrl: "http://me:pass@host.example:8080/v1",
    apiKey: null,
    keySetting: "OPENAI_API_KEY",
    contextTokens: 128_000,
    model: "m",
    images: true,
  };

  it("names the setting or the host, never a key, on one line", () => {
    const secret = "sk-canary";
    for (const status of [400, 401, 402, 403, 404, 413, 429, 500]) {
      const error = answered(status, `{"error":{"message":"bad\\u001b[2J\n key ${secret}"}}`);
      const sentence = sentenceFor(failureOf(error, NOW, secret), endpoint, "m");
      expect(sentence).toMatch(/^[^\n\u001b]*[.!?]$/);
      expect(sentence).toMatch(/host\.example:8080|another model/);
      expect(sentence).not.toMatch(/sk-canary|pass/);
    }
  });

  it("has the server's own words where it forbids something, and names the key only where they do", () => {
    const secret = "sk-canary";
    const told = (body: string, message = "Forbidden") => {
      const error = Object.assign(new Error(message), { statusCode: 403, responseBody: body });
      return sentenceFor(failureOf(error, NOW, secret), { ...endpoint, apiKey: () => secret }, "m");
    };
    const country = "host.example:8080 refused the request: Your country is not supported.";
    for (const body of [
      '{"error":{"code":"unsupported_country","message":"Your country is not supported"}}',
      '{"error":"Your country is not supported"}',
      '{"status":403,"error":"Forbidden","message":"Your country is not supported."}',
      '{"detail":"Your \\u0063ountry is not supported"}',
      "Your country is not supported.\n",
    ])
      expect(told(body)).toBe(country);
    for (const body of ["", "<html>Cloudflare</html>", "{}"])
      expect(told(body)).toBe("host.example:8080 refused the request: Forbidden.");
    expect(told("", "")).toBe("host.example:8080 refused the request.");
    expect(told(`{"error":{"message":"The API key ${secret} may not use this model."}}`)).toBe(
      "host.example:8080 refused the request: The API key *** may not use this model. Check OPENAI_API_KEY.",
    );
    expect(told(`{"message":"${"long ".repeat(100)}"}`).length).toBeLessThan(300);
  });

  it("says that a key is missing where none is set", () => {
    expect(sentenceFor(failureOf(answered(401, ""), NOW, ""), endpoint, "m")).toBe(
      "host.example:8080 needs an API key, but none is set. Set OPENAI_API_KEY.",
    );
  });
});

it("a silence behind a proxy names the proxy, which may be none", () => {
  const endpoint = { baseUrl: "https://model.test/v1", keySetting: "K", apiKey: null } as unknown as Endpoint;
  const silent = { ...failureOf(new StreamFailure("silent"), NOW, ""), kind: "silent" as const };
  expect(sentenceFor(silent, endpoint, "m")).toBe("model.test stopped sending, so I stopped waiting.");
  announceProxies(() => "http://me:pass@proxy.test:3128");
  try {
    expect(sentenceFor(silent, endpoint, "m")).toMatch(
      /^model\.test stopped sending, .* through the proxy proxy\.test:3128: check that this is an HTTP proxy\. It is set by `proxy`/,
    );
  } finally {
    announceProxies(() => null);
  }
});
