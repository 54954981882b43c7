/** The notes about people are in the store: no file tool reaches them, also if the store is inside the working folder. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEnvironment } from "../src/config/environment.js";
import { loadConfig } from "../src/config/load.js";
import { openStore } from "../src/open-sessions.js";
import { openTools } from "../src/open-tools.js";
import { aCall } from "./support/a-call.js";

const CANARY = "canary-of-a-note-7f3a91";

test("no file tool shows a note, or changes the store", async () => {
  const work = realpathSync(mkdtempSync(join(tmpdir(), "baton-memory-")));
  const home = join(work, "home");
  mkdirSync(home, { mode: 0o700 });
  symlinkSync(join(home, "baton.db"), join(work, "link"));
  const variables = { BATON_HOME: home, BATON_AGENT_WORKDIR: work, BATON_TOOLS_TERMINAL_SANDBOX: "off" };
  const config = await loadConfig(readEnvironment(variables), work);
  expect([config.tools.folders, config.store.reveal()]).toEqual([[work], join(home, "baton.db")]);
  try {
    const { store, sessions } = await openStore({ url: config.store.reveal() });
    const owner = "person:x:ann";
    await store.memory.add([owner], owner, CANARY, "agent", 4_000, 1);
    await sessions.close(); // Nobody opens the file of a store that this process has open.
    const files = readdirSync(home).filter((name) => name.startsWith("baton.db"));
    expect(files.map((name) => readFileSync(join(home, name), "latin1")).join("")).toContain(CANARY);
    const tools = await openTools(config);
    const use = async (name: string, args: object): Promise<string> => {
      const tool = tools.find((each) => each.name === name);
      if (!tool) throw new Error(name);
      return tool.run(args, { call: aCall, signal: new AbortController().signal });
    };
    const paths = ["link", "home", ...files.flatMap((name) => [`home/${name}`, join(home, name)])];
    for (const path of paths) {
      expect(await use("read_file", { path })).toMatch(/^Error: /);
      expect(await use("write_file", { path, content: "" })).toMatch(/^Error: /);
      expect(await use("edit_file", { path, old_text: CANARY, new_text: "x" })).toMatch(/^Error: /);
      expect(await use("search_files", { query: "canary", path })).not.toContain(CANARY);
    }
    expect(await use("search_files", { query: "canary-of" })).not.toContain(CANARY);
    expect(await use("list_files", { path: ".", depth: 10 })).not.toContain("baton.db-");
    const again = await openStore({ url: config.store.reveal() });
    expect(await again.store.memory.of([owner])).toMatchObject([{ text: CANARY }]);
    await again.sessions.close();
  } finally {
    rmSync(work, { recursive: true });
  }
});
