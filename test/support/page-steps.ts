/** What somebody does in a conversation of the page, and what they see there. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** How long a busy machine may take. */
export const PATIENCE_MS = 40_000;

function messages(page: Page): Locator {
  return page.getByRole("log", { name: "Messages" });
}

export async function write(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await messages(page).getByText(text).last().waitFor({ timeout: PATIENCE_MS });
}

/** Once, and no more often. */
export async function showsOnce(page: Page, text: string): Promise<void> {
  await showsTimes(page, text, 1);
}

export async function showsTimes(page: Page, text: string, times: number): Promise<void> {
  const found = messages(page).getByText(text, { exact: true });
  await expect.poll(() => found.count(), { timeout: PATIENCE_MS }).toBe(times);
}

/** Everything that the view asks for is there. */
export async function isLoaded(page: Page): Promise<void> {
  await expect.poll(() => page.locator(".loading").count(), { timeout: PATIENCE_MS }).toBe(0);
}
