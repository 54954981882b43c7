// Before the tests: dist/, for those that start processes. Users get the bundled files of it.
export { build as setup } from "../../scripts/build.mjs";
