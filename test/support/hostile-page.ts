/**
 * Text that would do something if a browser took it for markup, and what to look for afterwards. Each payload tells on itself:
 * it sets `pwned`, opens a dialog, or asks a server on loopback for `/canary`.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";

/** Right-to-left from here on, and an isolate that nothing ends. */
const BIDI = "\u202e\u2067";

/** Short enough for names. It ends with a letter that is written from right to left, as are the signs after it. */
export function hostileName(label: string): string {
  return `${label}${BIDI} <img src=/canary onerror=alert(1)>\u05d0`;
}

/** As it is shown in a place for names: on one line, without signs that nobody sees. */
export function shownName(label: string): string {
  return hostileName(label).replace(BIDI, "");
}

/** On one line, for any place. */
export function hostileText(label: string): string {
  return (
    `${label} <img src=/canary/${label} ${BIDI}onerror="window.pwned='${label}'"><svg/onload=alert('${label}')>` +
    `</title></textarea></script><script>window.pwned='${label}'</script>'"\`--><a href=javascript:alert(1)>x</a>`
  );
}

/** HTML blocks and inline HTML, in Markdown. */
export const RAW_HTML: readonly string[] = [
  `<img src=x onerror="window.pwned=1">`,
  `<svg onload="window.pwned=1"><script>window.pwned=1</script></svg>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `<base href="http://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=http://evil.example/">`,
  `<style>body{display:none}</style>`,
  `<link rel=stylesheet href=http://evil.example/x.css>`,
  `<form action=http://evil.example/><button formaction=javascript:alert(1)>Send</button></form>`,
  `<object data=http://evil.example/></object><embed src=http://evil.example/>`,
  `<details open ontoggle=alert(1)>x</details>`,
  `<math><mtext><mglyph><style><!--</style><img src=1 onerror=alert(1)>`,
];

/** Addresses of links, as Markdown has them, that lead to no website. */
export const BAD_ADDRESSES: readonly string[] = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "<java\tscript:alert(1)>",
  "<\u0001javascript:alert(1)>",
  "javascript&colon;alert(1)",
  "&#106;avascript:alert(1)",
  "&#x6A;avascript&#58;alert(1)",
  "java\\script:alert(1)",
  "vbscript:msgbox(1)",
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
  "blob:http://127.0.0.1/1",
  "file:///etc/passwd",
  "/api/leave",
  "//evil.example/x",
];

/** Files that run something if a browser opens them as what they are, or as what they say they are. */
export const HOSTILE_FILES: readonly {
  readonly name: string;
  readonly mimeType: string;
  readonly text: string;
}[] = [
  {
    name: "picture.svg",
    mimeType: "image/svg+xml",
    text: `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>fetch("/canary")</script></svg>`,
  },
  { name: "page.html", mimeType: "text/html", text: `<script>alert(1);fetch("/canary")</script>` },
  {
    name: "photo.png",
    mimeType: "image/png",
    text: `<!doctype html><script>alert(1);fetch("/canary")</script>`,
  },
  {
    name: "page.xml",
    mimeType: "application/xhtml+xml",
    text: `<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>`,
  },
];

/** A server that nobody should ask, and whoever watches a browser for what nobody wants. */
export class Canary {
  /** What came about, in order. */
  readonly songs: string[] = [];
  readonly #server: Server;

  static async open(): Promise<Canary> {
    const canary = new Canary();
    canary.#server.listen(0, "127.0.0.1");
    await once(canary.#server, "listening");
    return canary;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      this.songs.push(`somebody asks for ${request.url}`);
      response.end();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/canary`;
  }

  watch(context: BrowserContext): void {
    context.on("request", (request) => {
      const { hostname, pathname } = new URL(request.url());
      if (pathname.startsWith("/canary") || hostname.includes("evil"))
        this.songs.push(`a request for ${request.url()}`);
    });
    context.on("page", (page) => {
      page.on("dialog", (dialog) => {
        this.songs.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("framenavigated", (frame) => {
        if (frame.parentFrame()) this.songs.push(`a frame: ${frame.url()}`);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** What in a page could run or load something that is not the page's own, and whether something ran. */
export async function tracesIn(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(LOOK)) as string[];
}

/** Runs in the browser. */
const LOOK = String.raw`(() => {
  const found = "pwned" in window ? ["pwned: " + window.pwned] : [];
  const NEVER = "iframe, frame, object, embed, base, applet, style, meta[http-equiv], foreignObject, script:not([src])";
  for (const element of document.querySelectorAll(NEVER)) found.push(element.outerHTML);
  const ATTRIBUTES = ["srcdoc", "action", "formaction", "background", "ping"];
  const ADDRESSES = ["href", "xlink:href", "src", "srcset", "data", "poster"];
  const LOADED = ["script", "link", "img", "use", "image", "audio", "video", "source", "track"];
  for (const element of document.querySelectorAll("*")) {
    const tag = element.localName;
    for (const { name, value } of element.attributes) {
      const said = "<" + tag + " " + name + '="' + value + '">';
      if (name.startsWith("on") || ATTRIBUTES.includes(name)) found.push(said);
      if (!ADDRESSES.includes(name)) continue;
      const { protocol, origin, pathname } = new URL(value, location.href);
      if (!["http:", "https:", "mailto:"].includes(protocol)) found.push(said);
      if (!LOADED.includes(tag)) continue;
      const isOwn = /^\/(?:assets\/|(?:icon\.svg|apple-touch-icon\.png|manifest\.webmanifest|style\.css)$)/.test(pathname);
      const isFile = pathname.startsWith("/api/") && ["img", "audio", "video"].includes(tag);
      if (origin !== location.origin || !(isOwn || isFile)) found.push(said);
    }
  }
  // What turns text around, signs and letters, stays within what somebody else has written.
  const THEIRS = "bdi, pre, .bubble, .markdown, textarea";
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    let around = node.nodeValue.replaceAll(/\u2068[^\u2066-\u2069]*\u2069/g, "");
    // In what Baton answers to a command, names are quoted, as on every platform.
    if (node.parentElement.closest(".toast")) around = around.replaceAll(/"[^"\u202a-\u202e\u2066-\u2069]*"/g, "");
    if (/[\u05d0\u202a-\u202e\u2066-\u2069]/.test(around) && !node.parentElement.closest(THEIRS))
      found.push("turned around: " + node.nodeValue);
  }
  return found;
})()`;
