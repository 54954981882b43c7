import { expect, it } from "vitest";
import { ProxyFailure } from "./proxy-in-use.js";

it.each([
  ["ECONNREFUSED", "the proxy proxy.example:3128 does not answer. Check that it is running."],
  ["UND_ERR_CONNECT_TIMEOUT", "the proxy proxy.example:3128 does not answer. Check that it is running."],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "the proxy proxy.example:3128 can't be used (DEPTH_ZERO_SELF_SIGNED_CERT). Check its address.",
  ],
  [
    "HPE_INVALID_CONSTANT",
    "the proxy proxy.example:3128 can't be used (HPE_INVALID_CONSTANT). Check its address.",
  ],
])("%s is told as what it means", (code, sentence) => {
  const cause = new Error("fetch failed", { cause: Object.assign(new Error("no"), { code }) });
  const { message } = new ProxyFailure("http://ann:secret@proxy.example:3128", null, { cause });
  expect(message).toContain(sentence);
  expect(message).not.toContain("secret");
});
