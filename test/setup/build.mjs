// Before the tests: dist/ as users run it, for those that start processes.
export { build as setup } from "../../scripts/build.mjs";
