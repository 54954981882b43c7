import { expect, it } from "vitest";
import { isAnother } from "./upgraded.js";

const page = (script: string): string => `<!doctype html><script type="module" src="${script}"></script>`;
const OWN = "http://127.0.0.1:22866/assets/main-0a1b2c3d.js";

it("knows whether the server has another page by now", () => {
  expect(isAnother(page("/assets/main-0a1b2c3d.js"), OWN)).toBe(false);
  expect(isAnother(page("/assets/main-z9y8x7w6.js"), OWN)).toBe(true);
});

it("takes nothing else for another page", () => {
  expect(isAnother(page("/proxy/sign-in.js"), OWN)).toBe(false);
  expect(isAnother("", OWN)).toBe(false);
  expect(isAnother(page("/assets/main-0a1b2c3d.js"), "")).toBe(false);
});
