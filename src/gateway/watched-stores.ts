/** What the store has for people who look on: the page in the browser, long work, and what is open or could not be sent. */
import type { PostStore } from "../adapter/web/posts.js";
import type { Deliveries } from "./deliveries.js";
import type { Overview } from "./overview.js";
import type { WebDevices } from "./web/devices.js";
import type { WorkStore } from "./work.js";

export type * from "../adapter/web/posts.js";
export type * from "./deliveries.js";
export type * from "./overview.js";
export type * from "./web/devices.js";
export type * from "./work.js";

export interface WatchedStores {
  /** What is in the chats of the page. */
  readonly posts: PostStore;
  readonly devices: WebDevices;
  readonly work: WorkStore;
  readonly deliveries: Deliveries;
  readonly overview: Overview;
}
