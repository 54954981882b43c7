/** Somebody who has a keyboard and nothing else: after each key something has the focus, and they see what. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { PATIENCE_MS } from "./page-steps.js";

/** So many keys lead to everything in a view. */
const MOST_KEYS = 120;

export class Keys {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#page.keyboard.press(key);
      await this.#isSeen(key);
    }
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Goes there, forwards unless told. */
  async to(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    await target.waitFor({ timeout: PATIENCE_MS });
    for (let keys = 0; keys < MOST_KEYS; keys++) {
      if (await this.isAt(target)) return;
      await this.press(key);
    }
    throw new Error(`No ${key} leads to ${target}.`);
  }

  async isAt(target: Locator): Promise<boolean> {
    const now = await this.#page.evaluateHandle("document.activeElement");
    const isThere = await target.evaluate((element, other) => element === other, now);
    await now.dispose();
    return isThere;
  }

  /** By itself, because of what was pressed. */
  async comesTo(target: Locator): Promise<void> {
    await target.waitFor({ timeout: PATIENCE_MS });
    await expect
      .poll(() => this.isAt(target), { timeout: PATIENCE_MS, message: `the focus comes to ${target}` })
      .toBe(true);
    await this.#isSeen("what was pressed");
  }

  async #isSeen(key: string): Promise<void> {
    await expect
      .poll(() => this.#page.evaluate(PROBLEM), { timeout: PATIENCE_MS, message: `after ${key}` })
      .toBeNull();
  }
}

/** Runs in the browser: null if what has the focus can be seen, and has a ring around it. */
const PROBLEM = `(() => {
  const now = document.activeElement;
  if (!now || now === document.body) return "nothing has the focus";
  const { top, bottom, left, right } = now.getBoundingClientRect();
  const name = now.outerHTML.slice(0, 160);
  if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth) return "out of sight: " + name;
  const ringed = [now, now.closest(".composer-row, .segments label")].some((each) => {
    if (!each) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
  });
  return ringed ? null : "no ring around " + name;
})()`;
