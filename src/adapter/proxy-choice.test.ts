import { expect, it } from "vitest";
import { proxyFor } from "./proxy-choice.js";

const proxies = {
  https: "http://secure:1",
  http: "http://plain:1",
  direct: ["example.com", ".inner.test", "only.test:8080", "10.0.0.5", "fd00::1"],
};

it.each([
  ["https://api.telegram.org/bot", "http://secure:1"],
  ["wss://gateway.example.org", "http://secure:1"],
  ["http://matrix.test:8008", "http://plain:1"],
  ["ws://chat.test", "http://plain:1"],
  ["http://localhost:8080", null],
  ["http://LOCALHOST.:8080", null],
  ["http://127.1:8080", null],
  ["http://[::1]:8080", null],
  ["https://127.example.org", "http://secure:1"],
  ["https://example.com", null],
  ["https://chat.example.com", null],
  ["https://notexample.com", "http://secure:1"],
  ["https://a.inner.test", null],
  ["https://only.test:8080", null],
  ["https://only.test", "http://secure:1"],
  ["http://10.0.0.5", null],
  ["http://[fd00::1]:80", null],
])("%s goes through %s", (url, proxy) => {
  expect(proxyFor(url, proxies)).toBe(proxy);
});

it("reaches everything directly with *", () => {
  expect(proxyFor("https://api.telegram.org", { ...proxies, direct: ["*"] })).toBeNull();
});
