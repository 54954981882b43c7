// npm start: build if needed, then baton itself, with the arguments after "--".
import { build } from "./build.mjs";

build();
await import("../dist/main.js");
