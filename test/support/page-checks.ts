/** What every view of the page must pass, and the pictures of it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Fails with what axe finds wrong in a view, in light and in dark. */
export async function accessible(page: Page, view: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // In a world of its own: the page's policy lets no foreign script in.
    const violations = await inIsolation(page);
    const found = violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n  ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`).join("\n  ")}`,
    );
    expect(found, `${view}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

async function inIsolation(page: Page): Promise<readonly Finding[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send("Page.getFrameTree");
    const { executionContextId } = await session.send("Page.createIsolatedWorld", {
      frameId: frameTree.frame.id,
      worldName: "axe",
    });
    const run = async (expression: string): Promise<unknown> => {
      const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
        ...{ expression, contextId: executionContextId, awaitPromise: true, returnByValue: true },
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    await run(AXE);
    return (await run("axe.run(document).then(({ violations }) => violations)")) as readonly Finding[];
  } finally {
    await session.detach();
  }
}

/** What somebody with a finger can't hit well, or what a phone would zoom in on: at least 40 px high, in letters of at least 16 px. */
export async function tooSmall(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(SMALL)) as string[];
}

/** Runs in the browser. Links within a text are as high as its lines. */
const SMALL = `(() => {
  const found = [];
  const shown = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && each.getBoundingClientRect().width > 1;
  const name = (each) => each.outerHTML.slice(0, 120);
  for (const each of document.querySelectorAll("button, a, select, summary, textarea, input, label:has(input[type=radio]), [role=option]")) {
    const isInText = each.matches(":is(p, dd, dt, h1, h2, h3, td, th, .markdown, .view-lines li, .toolbar) a:not(.button, .view-process)");
    if (!shown(each) || isInText || each.matches(".skip, input[type=file]")) continue;
    const { height, width } = each.getBoundingClientRect();
    if (height < 39.9) found.push(Math.round(height) + " px high: " + name(each));
    if (width < 23.9) found.push(Math.round(width) + " px wide: " + name(each));
  }
  for (const each of document.querySelectorAll("select, textarea, input:not([type=radio], [type=checkbox], [type=file])"))
    if (shown(each) && Number.parseFloat(getComputedStyle(each).fontSize) < 16) found.push("small letters: " + name(each));
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
  return found;
})()`;
