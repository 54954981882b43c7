/** The page's adapter over a real store in a folder of its own, with people who are signed in by what their cookies say. */

import { randomBytes } from "node:crypto";
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, Letter, LocalFile, Speaker } from "../../src/adapter/adapter.js";
import { speakerWith, withMembers } from "../../src/adapter/speaker.js";
import { WebAdapter, type WebAdapterOptions } from "../../src/adapter/web/adapter.js";
import { LIMITS } from "../../src/adapter/web/limits.js";
import type { PostStore } from "../../src/adapter/web/posts.js";
import type { SignedIn, WhoIsSignedIn } from "../../src/adapter/web/signed-in.js";
import { openStore } from "../../src/open-sessions.js";
import { WebBrowser } from "./web-browser.js";

type Store = Awaited<ReturnType<typeof openStore>>;

export class WebWorld {
  readonly folder: string;
  readonly posts: PostStore;
  /** What the store does with the next post. */
  trouble: "fails" | "swallows" | null = null;
  /** Where the page is; null while nobody serves it. */
  url: string | null = null;
  /** Devices that were signed out. */
  readonly out = new Set<string>();
  readonly #store: Store;
  readonly #browsers: WebBrowser[] = [];

  static async open(): Promise<WebWorld> {
    const folder = await mkdtemp(join(tmpdir(), "baton-web-"));
    await mkdir(join(folder, "media"));
    await mkdir(join(folder, "page", "assets"), { recursive: true });
    await writeFile(join(folder, "page", "index.html"), "<!doctype html><title>Baton</title>");
    await writeFile(join(folder, "page", "assets", "page-0123abcd.js"), "export {};\n".repeat(100));
    await writeFile(join(folder, "secret.txt"), "a secret");
    return new WebWorld(folder, await openStore({ url: join(folder, "baton.db") }));
  }

  private constructor(folder: string, store: Store) {
    this.folder = folder;
    this.#store = store;
    const { posts } = store.store;
    const add: PostStore["add"] = async (...given) => {
      const trouble = this.trouble;
      this.trouble = null;
      if (trouble === "fails") throw new Error("the database is busy");
      const added = await posts.add(...given);
      if (trouble === "swallows") throw new Error("the connection to the database broke off");
      return added;
    };
    this.posts = withMembers(posts, { add });
  }

  get mediaFolder(): string {
    return join(this.folder, "media");
  }

  /** `device=phone-7; identity=telegram:1` */
  readonly signedIn: WhoIsSignedIn = async ({ cookie }) => {
    const [, device = "", identity = ""] = /device=([^;]+); identity=(.+)/.exec(cookie ?? "") ?? [];
    if (identity === "" || this.out.has(device)) return null;
    const names: Readonly<Record<string, string>> = { "telegram:1": "Ann", "telegram:2": "Bob" };
    return { device, identity, name: names[identity] ?? null } satisfies SignedIn;
  };

  adapter(more: Partial<WebAdapterOptions> = {}): WebAdapter {
    const { posts, folder, mediaFolder, signedIn } = this;
    return new WebAdapter({
      host: "127.0.0.1",
      port: 0,
      publicUrl: null,
      posts,
      uploads: join(folder, "uploads"),
      mediaFolder,
      page: join(folder, "page"),
      signedIn,
      onUrl: ({ url }) => {
        this.url = url;
      },
      ...more,
    });
  }

  /** Someone's browser; theirs alone, unless told. */
  browser(identity = "telegram:1", device = `device-${randomBytes(6).toString("hex")}`): WebBrowser {
    const cookie = `device=${device}; identity=${identity}`;
    const browser = new WebBrowser({ url: () => this.url, cookie });
    this.#browsers.push(browser);
    return browser;
  }

  /** The adapter, whose letters may have files of any folder, as the gateway's media store takes them. */
  taking(adapter: WebAdapter): Adapter {
    const { platform, account, capabilities } = adapter;
    const serve: Adapter["serve"] = async (line) => {
      const up = (speaker: Speaker): void => {
        const send: Speaker["send"] = async (letter: Letter) => {
          const files = await Promise.all((letter.files ?? []).map((file) => this.take(file)));
          return speaker.send({ ...letter, ...(files.length > 0 ? { files } : {}) });
        };
        line.up(speakerWith(speaker, { send }));
      };
      try {
        await adapter.serve({ ...line, up });
      } finally {
        this.url = null;
      }
    };
    return { platform, account, capabilities, serve };
  }

  async take(file: LocalFile): Promise<LocalFile> {
    const found = await stat(file.path).catch(() => null);
    if (!found || found.size > LIMITS.maxFile) return file;
    const path = join(this.mediaFolder, randomBytes(16).toString("hex"));
    await copyFile(file.path, path);
    return { ...file, path };
  }

  async close(): Promise<void> {
    for (const browser of this.#browsers) browser.close();
    await this.#store.sessions.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
