/** What is measured is the compiled code, as people run it (tsx would add work of its own); its types are the source's. */
const built = new URL("../dist/index.js", import.meta.url).href;

export const { buildSessionKey, OWNER, openSessions, serializeSource } = (await import(
  built
)) as typeof import("../src/index.js");

export type { SessionSource, Sessions } from "../src/index.js";
