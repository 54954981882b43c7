/** A message is sent again only where it is certain that nobody took it. */
import { describe, expect, it } from "vitest";
import { ConnectError, SendError } from "./adapter.js";
import { type FailedAnswer, failuresOf, outcomeOfSilence, outcomeOfStatus } from "./failure.js";

it.each([
  [429, "retryable"],
  [408, "retryable"],
  [425, "retryable"],
  [302, "permanent"],
  [400, "permanent"],
  [401, "permanent"],
  [403, "permanent"],
  [404, "permanent"],
  [413, "permanent"],
  [200, "unknown"], // Taken, as it seems, and the answer is none.
  [500, "unknown"],
  [501, "unknown"],
  [502, "unknown"],
  [503, "unknown"],
  [504, "unknown"],
  [520, "unknown"],
  [524, "unknown"],
  [521, "retryable"], // Cloudflare did not reach the server.
  [525, "retryable"],
])("an answer of %i is %s", (status, outcome) => {
  expect(outcomeOfStatus(status)).toBe(outcome);
});

it("a server that says when to come again has not taken it", () => {
  expect(outcomeOfStatus(503, true)).toBe("retryable");
  for (const status of [500, 502, 504]) expect(outcomeOfStatus(status, true)).toBe("unknown");
});

const failure = (code: string): Error => Object.assign(new Error(code), { code });

it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT"])(
  "%s came before anything was sent, wherever it stands in the error",
  (code) => {
    expect(outcomeOfSilence(failure(code))).toBe("retryable");
    expect(outcomeOfSilence(new TypeError("fetch failed", { cause: failure(code) }))).toBe("retryable");
    expect(
      outcomeOfSilence(new TypeError("fetch failed", { cause: new AggregateError([failure(code)]) })),
    ).toBe("retryable");
  },
);

it("what failed while it connected was never sent, whatever the code", () => {
  const timedOut = Object.assign(failure("ETIMEDOUT"), { syscall: "connect" });
  expect(outcomeOfSilence(new TypeError("fetch failed", { cause: timedOut }))).toBe("retryable");
  const words = "Client network socket disconnected before secure TLS connection was established";
  expect(outcomeOfSilence(Object.assign(new Error(words), { code: "ECONNRESET" }))).toBe("retryable");
});

it.each(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", ""])(
  "%j may have come after it was taken",
  (code) => {
    expect(outcomeOfSilence(failure(code))).toBe("unknown");
  },
);

describe("a platform's failures", () => {
  const { connectError, sendError } = failuresOf({
    name: "Chat",
    address: "CHAT_URL",
    answerIn: (error) => (error instanceof Error ? null : (error as FailedAnswer)),
    beneath: (error) => (error instanceof Error ? (error.cause ?? error) : error),
  });

  it.each<[string, Partial<FailedAnswer>, string, string]>([
    ["refused", { status: 400 }, "permanent", "Chat refused: no room."],
    ["broken", { status: 502 }, "unknown", "Chat reported a server error: no room."],
    ["too fast", { status: 429, retryAfterMs: 2_000 }, "retryable", "Chat asks to wait: no room."],
    ["turned away", { status: 503, retryAfterMs: 0 }, "retryable", "Chat asks to wait: no room."],
    ["silent", { status: 404, words: "" }, "permanent", "Chat refused: status 404."],
    [
      "known better",
      { status: 500, outcome: "retryable" },
      "retryable",
      "Chat reported a server error: no room.",
    ],
    ["said better", { status: 400, sentence: "The room is full." }, "permanent", "The room is full."],
    ["not allowed, with a wait", { status: 403, retryAfterMs: 9 }, "permanent", "Chat refused: no room."],
    ["locked out", { status: 401, retryAfterMs: 9, mend: "Set CHAT_TOKEN." }, "permanent", "Set CHAT_TOKEN."],
  ])("%s", (_, given, outcome, message) => {
    const answer = { words: "no room.", ...given };
    const { retryAfterMs } = given;
    expect(sendError(answer)).toMatchObject({ outcome, message, retryAfterMs, cause: answer });
    const connecting = connectError(answer);
    expect(connecting).toMatchObject({ message, cause: answer });
    expect([connecting.outcome, connecting.retryAfterMs]).toEqual(
      given.mend === undefined ? ["retryable", retryAfterMs] : ["permanent", undefined], // No wait mends it.
    );
  });

  it.each<[string, Partial<FailedAnswer>, string, string]>([
    ["of a proxy that broke", { status: 502 }, "unknown", "Chat reported a server error: status 502."],
    ["that asks to wait", { status: 429 }, "retryable", "Chat asks to wait: status 429."],
    [
      "that turns us away",
      { status: 403, mend: "Set CHAT_TOKEN." },
      "retryable",
      "A web page answered instead of Chat (status 403). Check CHAT_URL, and whether a proxy or the sign-in page of a network is in between.",
    ],
    ["that finds it too large", { status: 413 }, "permanent", "Chat refused: status 413."],
    [
      "in place of an answer",
      { status: 200 },
      "unknown",
      "A web page answered instead of Chat (status 200). Check CHAT_URL, and whether a proxy or the sign-in page of a network is in between.",
    ],
  ])("take a page %s for what it is, and quote nothing of it", (_, given, outcome, message) => {
    const page = { status: 0, words: "<html>Sorry</html>", sentence: "<b>", isPage: true, ...given };
    expect(sendError(page)).toMatchObject({ outcome, message });
    expect(connectError(page)).toMatchObject({ outcome: "retryable", message }); // It is not the platform that says so.
  });

  it("quote no page, whoever gives it as words", () => {
    const words = "<!DOCTYPE html><html><title>Attention required!</title>";
    expect(sendError({ status: 500, words }).message).toBe("Chat reported a server error: status 500.");
    expect(sendError(new Error(words)).message).toBe("Chat did not answer: no reason given.");
    const broken = new SyntaxError(`Unexpected token '<', "<html>"... is not valid JSON`);
    expect(sendError(broken).message).toBe("Chat did not answer: its answer cannot be read.");
  });

  it("without an answer depend on what lies beneath", () => {
    const refused = new Error("the client failed", { cause: failure("ECONNREFUSED") });
    expect(sendError(refused)).toMatchObject({
      outcome: "retryable",
      message: "Chat cannot be reached: ECONNREFUSED.",
      cause: refused.cause,
    });
    const broken = new Error("the client failed", { cause: failure("ECONNRESET") });
    expect(sendError(broken)).toMatchObject({
      outcome: "unknown",
      message: "Chat did not answer: ECONNRESET.",
    });
    expect(connectError(broken)).toMatchObject({
      outcome: "retryable",
      message: "Chat cannot be reached: ECONNRESET.",
    });
  });

  it("stay what they are, once they are said", () => {
    const [sent, connected] = [new SendError("unknown", "x"), new ConnectError("permanent", "y")];
    expect(sendError(sent)).toBe(sent);
    expect(connectError(connected)).toBe(connected);
  });
});
