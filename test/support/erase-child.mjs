// Erases a person as `baton people forget --erase` does, on the compiled code, and dies by SIGKILL at a named step: `lockOut`
// means when this step of the store is done, `lockOut!` within it, when it says the first thing that it removes.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { homeFolder, readEnvironment } from "../../dist/config/environment.js";
import { loadConfig } from "../../dist/config/load.js";
import { openErasure } from "../../dist/open-erasure.js";
import { openStore } from "../../dist/open-sessions.js";
import { loadOutsidePlatforms } from "../../dist/outside-platforms.js";

const { whose, dieAt } = JSON.parse(process.argv[2]);
const reached = (step) => {
  if (step === dieAt) process.kill(process.pid, "SIGKILL");
};

/** The same object, whose methods say when they are done. */
const watched = (of) =>
  new Proxy(of, {
    get(target, name) {
      const value = target[name];
      if (typeof value !== "function") return value;
      return async (...given) => {
        const heard = given.map((each) => (typeof each === "function" ? telling(name, each) : each));
        const result = await value.apply(target, heard);
        reached(name);
        return result;
      };
    },
  });

function telling(name, hear) {
  return (...words) => {
    reached(`${name}!`);
    return hear(...words);
  };
}

await loadOutsidePlatforms(homeFolder());
const config = await loadConfig(readEnvironment(), process.cwd());
const erasure = openErasure(config, {
  host: fileURLToPath(new URL("../../dist/process-host.js", import.meta.url)),
  version: createRequire(import.meta.url)("../../package.json").version,
  onProblem: (problem) => console.error(problem),
  open: async () => {
    const { store, sessions } = await openStore({ url: config.store.reveal(), config: config.sessions });
    const [erasing, files] = [watched(store.erasure), watched(store.files)];
    const watchedStore = new Proxy(store, {
      get: (target, name) => (name === "erasure" ? erasing : name === "files" ? files : target[name]),
    });
    return { store: watchedStore, sessions };
  },
});
await erasure.erase(whose, () => {});
