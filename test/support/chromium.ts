/**
 * A real browser: Debian's Chromium, driven by playwright-core. Nothing in it leaves this machine: names are not looked up, and a
 * request to any other address is a fault, as are errors in the console, uncaught errors, and whatever the page's Content Security Policy
 * refuses. `close` fails if there was one. A test may allow errors in the console for a while, and nothing else.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { isLoopbackHost } from "../../src/util/loopback.js";
import { parsedUrl } from "../../src/util/parsed-url.js";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const FLAGS = [
  "--no-sandbox", // CI is root.
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];
/** Nothing of the browser's own is looked at. */
const INSIDE = new Set([
  "data:",
  "blob:",
  "about:",
  "chrome:",
  "chrome-error:",
  "chrome-extension:",
  "devtools:",
]);
/** Runs in the browser. A refusal of a script that stands in the page is said in the console by the browser itself, too. */
const TELL_REFUSALS = `document.addEventListener("securitypolicyviolation", (refused) => {
  console.error("Refused by the Content Security Policy:", refused.effectiveDirective, refused.blockedURI, refused.sample);
})`;

/** The program; null if there is none. `BATON_TEST_CHROMIUM` names another one. */
export function findChromium(): string | null {
  const named = process.env.BATON_TEST_CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const all = named ? [named] : folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return all.find(isProgram) ?? null;
}

/** For the name of a suite that needs it: empty, or why it is skipped. */
export function withoutChromium(): string {
  return findChromium() === null
    ? " (NOT TESTED: no Chromium here; `apt install chromium`, or set BATON_TEST_CHROMIUM)"
    : "";
}

export class WatchedChromium {
  /** What must not be, in the order in which it happened. */
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #allowed = new Set<readonly RegExp[]>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<WatchedChromium> {
    const program = findChromium();
    if (program === null) throw new Error("There is no Chromium here.");
    return new WatchedChromium(await chromium.launch({ executablePath: program, args: FLAGS }));
  }

  /** A browser of its own, with its own cookies, for one person. */
  async person(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.#browser.newContext({ serviceWorkers: "block", ...options });
    await context.addInitScript({ content: TELL_REFUSALS });
    context.on("request", (request) => this.#look(request.url()));
    context.on("page", (page) => this.#watch(page));
    return context;
  }

  /**
   * Errors in the console that a test brings about: while it is offline, or its gateway is gone. Returns what forbids them again.
   * Uncaught errors and requests that leave this machine are always faults.
   */
  allow(...patterns: readonly RegExp[]): () => void {
    this.#allowed.add(patterns);
    return () => void this.#allowed.delete(patterns);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    if (this.faults.length > 0) throw new Error(`In the browser:\n${this.faults.join("\n")}`);
  }

  #watch(page: Page): void {
    page.on("websocket", (socket) => this.#fault(`a WebSocket: ${socket.url()}`));
    page.on("pageerror", (error) => this.#fault(`uncaught: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      const text = `${message.text()} (${message.location().url})`;
      if (message.type() === "error" && !this.#isAllowed(text)) this.#fault(`console: ${text}`);
    });
  }

  #look(address: string): void {
    const url = parsedUrl(address);
    if (url && (INSIDE.has(url.protocol) || isLoopbackHost(url.hostname))) return;
    this.#fault(`a request that leaves this machine: ${address}`);
  }

  #isAllowed(text: string): boolean {
    return [...this.#allowed].some((patterns) => patterns.some((pattern) => pattern.test(text)));
  }

  #fault(text: string): void {
    this.faults.push(text);
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
