/** Tools that the owner wants to be asked about, by name or by server. */
import { describe, expect, it } from "vitest";
import type { Tool } from "../agent/agent.js";
import { askingTools } from "./asked-tools.js";

const tool = (name: string, danger?: Tool["danger"]): Tool => ({
  name,
  description: "",
  parameters: {},
  ...(danger ? { danger } : {}),
  run: async () => "ran",
});

describe("tools to be asked about", () => {
  const own = { reason: "is dangerous of its own", what: "x" };
  const tools = [tool("fetch_url"), tool("files_read"), tool("filesystem_read"), tool("terminal", () => own)];

  it("are those that are named, and all of a server", async () => {
    const [fetch, files, other] = askingTools(tools, ["fetch_url", "files_*"]);
    expect(await fetch?.danger?.({ url: "https://x", depth: 2 })).toEqual({
      reason: "uses fetch_url, a tool that the owner wants to be asked about",
      what: "fetch_url\nurl: https://x\ndepth: 2",
    });
    expect(await files?.danger?.(null)).toMatchObject({ what: "files_read\nnull" });
    expect(other?.danger).toBeUndefined();
  });

  it("say what is dangerous of its own instead", async () => {
    const terminal = askingTools(tools, ["terminal"]).at(-1);
    expect(await terminal?.danger?.({})).toEqual(own);
    expect(askingTools(tools, [])).toEqual(tools);
  });
});
