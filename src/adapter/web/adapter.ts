/**
 * The page as a platform. Its adapter listens for browsers while it has a line; what people say there is saved before they
 * are told so, and what is said to them is in the store before they see it. So nothing is lost if a browser or this process
 * ends at any moment: the page's own outbox sends again, and its stream goes on from the last post that it has.
 */
import { join } from "node:path";
import type { Clock } from "../../util/clock.js";
import { type Later, later as usualLater } from "../../util/later.js";
import { type Adapter, type Capabilities, ConnectError, type Line } from "../adapter.js";
import { ended } from "../ended.js";
import { reasonOf } from "../http-call.js";
import { MAX_INBOUND_FILE } from "../inbound-limit.js";
import { refused, type WebApp } from "./answers.js";
import { bindProblem, isLoopback, ownNames, pageUrl } from "./bind.js";
import { type CertificateFiles, certificateIn } from "./certificate.js";
import { fileRoutes } from "./file-routes.js";
import { Hub, type HubSetting, MAX_STREAMS } from "./hub.js";
import { LIMITS } from "./limits.js";
import { PageFiles } from "./page-files.js";
import type { PostStore } from "./posts.js";
import { LONGEST_SAID, sayRoute } from "./say.js";
import { WebServer, type WebServerSetting } from "./server.js";
import type { WhoIsSignedIn } from "./signed-in.js";
import { WebSpeaker } from "./speaker.js";
import { streamRoute } from "./stream.js";
import { Uploads } from "./uploads.js";
import { WEB, WEB_ACCOUNT } from "./web-source.js";

export interface WebAdapterOptions extends Pick<WebServerSetting, "headMs" | "bodyMs"> {
  readonly host: string;
  /** 0 for any: only tests want that. */
  readonly port: number;
  readonly publicUrl: string | null;
  /** The files of the certificate and of its key; without them, it is plain HTTP. */
  readonly tls?: CertificateFiles | null;
  readonly posts: PostStore;
  /** Where uploads are until the gateway has fetched them. */
  readonly uploads: string;
  readonly mediaFolder: string;
  /** What the bundler made of the page. */
  readonly page: string;
  readonly signedIn: WhoIsSignedIn;
  /** Everything that the page may ask for beside the chat itself; returns what ends it, with the line. */
  readonly routes?: (app: WebApp, hub: Hub) => () => void;
  /** It listens, and this is where people find it. */
  readonly onUrl?: (place: PagePlace) => void;
  readonly streams?: HubSetting;
  readonly clock?: Clock;
  readonly later?: Later;
}

/** Where the page is, as the account remembers it under `url`. */
export interface PagePlace {
  readonly url: string;
  /** Only this machine can open it. */
  readonly isLocal: boolean;
}

/** Under this name the account remembers the `PagePlace` as JSON. */
export const URL_MEMORY = "url";

const SWEEP_MS = 60 * 60 * 1_000;
/** Beside the streams: calls, and connections that browsers keep open. */
const MORE_CONNECTIONS = 2_048;

export class WebAdapter implements Adapter {
  readonly platform = WEB;
  readonly account = WEB_ACCOUNT;
  readonly capabilities: Capabilities = LIMITS;
  /** Turns go on while a line ends and the next one begins. */
  readonly hub: Hub;
  readonly #options: WebAdapterOptions;

  constructor(options: WebAdapterOptions) {
    this.#options = options;
    this.hub = new Hub(options.streams);
  }

  async serve({ receive, knows, memory, problem, up, end }: Line): Promise<void> {
    const { hub } = this;
    const { posts, mediaFolder, signedIn, routes, onUrl } = this.#options;
    const { clock = Date.now, later = usualLater } = this.#options;
    const uploads = new Uploads({ folder: this.#options.uploads, maxFile: MAX_INBOUND_FILE, clock });
    const server = this.#server(problem);
    streamRoute(server.app, { hub, posts, signedIn, later });
    sayRoute(server.app, { receive, signedIn, uploads, clock, problem });
    fileRoutes(server.app, { posts, uploads, mediaFolder, signedIn });
    const endRoutes = routes?.(server.app, hub);
    server.app.all("/api/*", () => refused(404, "not_found", "There is nothing here."));
    let isOver = false;
    const sweep = async (): Promise<void> => {
      await uploads
        .sweep()
        .catch((error: Error) => problem(`Old uploads can't be removed: ${error.message}`));
      if (!isOver) cancel = later(sweep, SWEEP_MS);
    };
    let cancel: () => void = () => {};
    try {
      const place = this.#placeOf(await this.#listen(server));
      await memory.write(URL_MEMORY, JSON.stringify(place));
      await sweep();
      if (end.aborted) return;
      onUrl?.(place);
      up(new WebSpeaker({ posts, hub, uploads, mediaFolder, knows, clock, later }));
      await ended(end);
    } finally {
      isOver = true;
      cancel();
      endRoutes?.();
      hub.endAll();
      await server.close();
      hub.endAll(); // One may have been opened meanwhile.
    }
  }

  #server(problem: Line["problem"]): WebServer {
    const { host, port, tls, headMs, bodyMs, streams, page } = this.#options;
    const place = this.#bindPlace;
    const why = bindProblem(place);
    if (why !== null) throw new ConnectError("permanent", why);
    return new WebServer({
      host,
      port,
      ...(tls ? { tls: certificateIn(tls) } : {}),
      ...(headMs === undefined ? {} : { headMs }),
      ...(bodyMs === undefined ? {} : { bodyMs }),
      names: (listening) => ownNames(place, listening),
      room: { json: LONGEST_SAID, file: MAX_INBOUND_FILE },
      page: PageFiles.read(join(page)),
      maxConnections: (streams?.maxStreams ?? MAX_STREAMS) + MORE_CONNECTIONS,
      problem,
    });
  }

  async #listen(server: WebServer): Promise<number> {
    const { host, port } = this.#options;
    try {
      return await server.listen();
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      const message = isTaken
        ? `Another program uses port ${port} on ${host}. Set web.port to another one.`
        : `The page can't be served on ${host}:${port} (${reasonOf(error)}). Check web.host and web.port.`;
      throw new ConnectError("retryable", message, { cause: error });
    }
  }

  get #bindPlace() {
    const { host, publicUrl, tls } = this.#options;
    return { host, publicUrl, hasTls: tls != null };
  }

  #placeOf(port: number): PagePlace {
    const { host, publicUrl } = this.#options;
    return { url: pageUrl(this.#bindPlace, port), isLocal: publicUrl === null && isLoopback(host) };
  }
}
