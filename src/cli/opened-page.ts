/** The page in the browser, as the command line has it: to be served by this process, or served by any over the store. */
import type { Adapter } from "../adapter/adapter.js";
import type { OpenPlatforms } from "../gateway/run-gateway.js";

/** The page, to be served by a gateway of this process. */
export interface ServedPage {
  readonly adapter: Adapter;
  /** Opens a gateway over these adapters, of which that is one. */
  readonly open: OpenPlatforms;
  /** Settles with the page's address once it can be opened for the first time. */
  readonly listening: Promise<string>;
}

/** A link with which somebody signs in, once. */
interface SignInLink {
  readonly link: string;
  readonly expiresAt: number;
}

/** The page, whoever serves it. */
export interface PageLinks {
  /** Where it is; null if no process serves it now. */
  address(): Promise<string | null>;
  /** For this person, at that address. */
  make(identity: string, address: string): Promise<SignInLink>;
  close(): Promise<void>;
}
