/** A message is sent again only where it is certain that nobody took it. */
import { expect, it } from "vitest";
import { outcomeOfSilence, outcomeOfStatus } from "./send-failure.js";

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

it.each(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", ""])(
  "%j may have come after it was taken",
  (code) => {
    expect(outcomeOfSilence(failure(code))).toBe("unknown");
  },
);
