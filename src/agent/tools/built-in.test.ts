import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import { OWN_TOOLS } from "../../util/own-tools.js";
import { builtInTools } from "./built-in.js";

const workdir = mkdtempSync(join(tmpdir(), "baton-tools-"));
afterAll(() => rmSync(workdir, { recursive: true, force: true }));

const tools = (folders: readonly string[]) =>
  builtInTools({
    workdir,
    folders,
    own: [join(workdir, "home"), join(workdir, "data.db")],
    environment: {},
    maxTimeoutMs: 5_000,
    allowHosts: [],
  });
const signal = new AbortController().signal;
const run = async (name: string, args: unknown, folders = [workdir]) =>
  tools(folders)
    .find((tool) => tool.name === name)
    ?.run(args, { call: aCall, signal });

describe("built-in tools", () => {
  it("are these, each with a schema that takes an object and nothing unknown", () => {
    expect(tools([workdir]).map(({ name }) => name)).toEqual([
      "terminal",
      "read_file",
      "write_file",
      "edit_file",
      "list_files",
      "search_files",
      "fetch_url",
    ]);
    for (const { name, parameters, description } of tools([workdir])) {
      expect(OWN_TOOLS).toContain(name);
      expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
      expect(description).toMatch(/\.$/);
    }
  });

  it("share the working folder", async () => {
    expect(await run("write_file", { path: "a.txt", content: "hi" })).toMatch(/^Wrote 2 bytes/);
    expect(await run("terminal", { command: "/bin/cat a.txt" })).toBe("Exit code 0.\n\nhi");
    expect(await run("fetch_url", { url: "http://localhost:8080/" })).toMatch(
      /^Error: localhost is a private or local address/,
    );
  });

  it("leave Baton's own things and processes alone, also where everything is allowed", async () => {
    mkdirSync(join(workdir, "home"), { recursive: true });
    writeFileSync(join(workdir, "home/secret"), "canary");
    writeFileSync(join(workdir, "data.db"), "canary");
    for (const path of [
      "home/secret",
      "data.db",
      "/proc/self/environ",
      "/proc/self/root/etc/passwd",
      "/proc/1/environ",
    ]) {
      expect(await run("read_file", { path }, ["/"])).toMatch(
        /^Error: .* belongs to Baton, and tools may not use it\.$/,
      );
    }
    const found = await run("search_files", { query: "canary" });
    expect(found).toMatch(/^0 matching lines/);
    expect(found).toMatch(/Not searched: .*data\.db belongs to Baton, and tools may not use it\./);
  });
});
