// npm start: build if needed, then baton itself, with the arguments after "--".
import { build } from "./build.mjs";

await build();
await import("../dist/main.js");
