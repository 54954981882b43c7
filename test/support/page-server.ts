/**
 * The page as it is served, over a store of the test: the real adapter, sign-in and routes, and a gateway to read from, which
 * is not started, so that nothing happens but what the test does. It can be asked over HTTP, and by hand from any address.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import type { InboundMessage } from "../../src/adapter/adapter.js";
import { WebAdapter, type WebAdapterOptions } from "../../src/adapter/web/adapter.js";
import type { WebApp } from "../../src/adapter/web/answers.js";
import { OUR_HEADER, OUR_HEADER_VALUE } from "../../src/adapter/web/wire.js";
import { Commands } from "../../src/gateway/commands/commands.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { Gateway } from "../../src/gateway/gateway.js";
import { mediaPath } from "../../src/gateway/media.js";
import type { GatewayOptions } from "../../src/gateway/options.js";
import type { GatewayStore } from "../../src/gateway/store.js";
import type { Sessions } from "../../src/session/sessions.js";
import { KeptAdapter } from "../../src/testing/kept-adapter.js";
import type { WebSetting } from "../../src/web/setting.js";
import { SignIn } from "../../src/web/sign-in.js";
import { webRoutes } from "../../src/web/web-routes.js";
import { toolCaller } from "./tool-caller.js";

export interface PageServerSetting
  extends Partial<Pick<WebAdapterOptions, "publicUrl" | "tls">>,
    Partial<Pick<WebSetting, "trustedHeader" | "hasTls" | "settings" | "findings" | "redact">> {
  /** With the files of the page, uploads and the log. */
  readonly folder: string;
  readonly store: WebSetting["store"] & GatewayStore;
  readonly sessions: Sessions;
  readonly clock: () => number;
  readonly gateway: Partial<GatewayOptions> & Pick<GatewayOptions, "people">;
}

/** What a page's own script sends with each call. */
export const OF_THE_PAGE = {
  [OUR_HEADER]: OUR_HEADER_VALUE,
  "sec-fetch-site": "same-origin",
  "sec-fetch-mode": "cors",
  "sec-fetch-dest": "empty",
} as const;
export const JSON_TYPE = { "content-type": "application/json" } as const;

/** A call as the server sees it come in. */
export interface PageCall {
  readonly method?: "GET" | "POST" | "PUT";
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly cookie?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the connection is from. */
  readonly from?: string;
}

export class PageServer {
  /** What people said, as the gateway receives it. */
  readonly received: InboundMessage[] = [];
  readonly gateway: Gateway;
  readonly #setting: PageServerSetting;
  readonly #adapter: KeptAdapter;
  #app: WebApp | null = null;
  #url = "";

  static async open(setting: PageServerSetting): Promise<PageServer> {
    for (const name of ["media", "page", "uploads", "logs"])
      mkdirSync(join(setting.folder, name), { recursive: true });
    writeFileSync(join(setting.folder, "page", "index.html"), "<!doctype html><title>Baton</title>");
    const server = new PageServer(setting);
    await server.#adapter.connect(
      async (message) => {
        server.received.push(message);
        return "accepted";
      },
      {
        problem: (sentence) => {
          throw new Error(sentence);
        },
      },
    );
    return server;
  }

  private constructor(setting: PageServerSetting) {
    this.#setting = setting;
    this.gateway = this.#compose();
    this.#adapter = new KeptAdapter(this.#page());
  }

  get url(): string {
    return this.#url;
  }

  get app(): WebApp {
    if (!this.#app) throw new Error("Nobody serves the page.");
    return this.#app;
  }

  close(): Promise<void> {
    return this.#adapter.disconnect();
  }

  /** Answers a call by hand: it passes everything but the socket. */
  async answer({ method = "GET", path, body, cookie, headers, from = "127.0.0.1" }: PageCall) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent: Record<string, string> = {
      host: new URL(this.#url).host,
      ...OF_THE_PAGE,
      ...(text === undefined ? {} : { ...JSON_TYPE, "content-length": String(Buffer.byteLength(text)) }),
      ...(cookie ? { cookie } : {}),
      ...headers,
    };
    const incoming = { method, url: path, headers: sent, socket: { remoteAddress: from } };
    const outgoing = { setHeader: () => {} };
    const request = new Request(new URL(path, this.#url), {
      method,
      headers: sent,
      ...(text === undefined ? {} : { body: text }),
    });
    return this.app.fetch(request, { incoming, outgoing } as unknown as HttpBindings);
  }

  #compose(): Gateway {
    const { store, sessions, clock, gateway } = this.#setting;
    return new Gateway({
      store,
      sessions,
      clock,
      agent: toolCaller,
      adapters: [],
      commands: new Commands(commandTable({ agent: "test", clock }), sessions),
      tools: () => [],
      toolLists: {},
      scopes: {},
      busy: { default: "queue", byPlatform: {}, byChat: {} },
      maxMessages: 500,
      deadlineMs: 60_000,
      holder: "test",
      onProblem: unexpected,
      ...gateway,
    });
  }

  #page(): WebAdapter {
    const { folder, store, sessions, clock, publicUrl = null, tls = null } = this.#setting;
    const { hasTls = tls !== null } = this.#setting;
    const { trustedHeader = null, settings = () => [], findings = async () => [] } = this.#setting;
    const { redact = (text: string) => text } = this.#setting;
    const { forCommands } = this.gateway;
    const reach = { publicUrl, hasTls, clock, trustedHeader };
    const signIn = new SignIn({ ...reach, store, people: forCommands.people });
    const media = join(folder, "media");
    return new WebAdapter({
      host: "127.0.0.1",
      port: 0,
      publicUrl,
      tls,
      posts: store.posts,
      uploads: join(folder, "uploads"),
      mediaFolder: media,
      page: join(folder, "page"),
      clock,
      signedIn: async (request) => (await signIn.who(request))?.signedIn ?? null,
      onUrl: ({ url }) => {
        this.#url = url;
      },
      routes: (app, hub) => {
        this.#app = app;
        return webRoutes(app, hub, signIn, {
          ...reach,
          ...{ sessions, store, settings, findings, redact },
          gateway: forCommands,
          commands: commandTable({ agent: "test", clock }),
          home: folder,
          pathOf: (file) => mediaPath(media, file),
          onProblem: unexpected,
          version: "test",
          startedAt: clock(),
        });
      },
    });
  }
}

function unexpected(problem: string, { cause }: { readonly cause?: unknown } = {}): never {
  throw new Error(problem, { cause });
}
