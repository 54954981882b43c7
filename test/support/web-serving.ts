/** The page's adapter, served for each test of a file, with what it has received. */
import { afterEach, beforeEach, expect } from "vitest";
import type { InboundMessage } from "../../src/adapter/adapter.js";
import type { WebAdapterOptions } from "../../src/adapter/web/adapter.js";
import { KeptAdapter } from "../../src/testing/kept-adapter.js";
import { WebWorld } from "./web-world.js";

export interface WebServing {
  readonly world: WebWorld;
  readonly adapter: KeptAdapter;
  /** Since the test began. */
  readonly received: readonly InboundMessage[];
  readonly url: string;
  /** Anew, with other options. */
  serve(more?: Partial<WebAdapterOptions>): Promise<void>;
}

/** To be called where tests are described. */
export function servedForEach(): WebServing {
  let world: WebWorld;
  let adapter: KeptAdapter | null = null;
  let received: InboundMessage[] = [];

  async function serve(more: Partial<WebAdapterOptions> = {}): Promise<void> {
    await adapter?.disconnect();
    adapter = new KeptAdapter(world.adapter(more));
    await adapter.connect(async (message) => {
      received.push(message);
      return "accepted";
    });
  }

  beforeEach(async () => {
    world = await WebWorld.open();
    received = [];
    await serve();
  });
  afterEach(async () => {
    await adapter?.disconnect();
    adapter = null;
    await world.close();
  });

  return {
    get world() {
      return world;
    },
    get adapter() {
      return adapter ?? expect.unreachable("Nothing is served.");
    },
    get received() {
      return received;
    },
    get url() {
      return world.url ?? expect.unreachable("Nobody serves the page.");
    },
    serve,
  };
}
