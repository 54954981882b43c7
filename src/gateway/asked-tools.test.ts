/** Tools that the owner wants to be asked about, by name or by server. */
import { describe, expect, it } from "vitest";
import type { Tool } from "../agent/agent.js";
import { digestOf } from "./approvals.js";
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
      what: 'fetch_url\nurl: "https://x"\ndepth: 2',
    });
    expect(await files?.danger?.(null)).toMatchObject({ what: "files_read\nnull" });
    expect(other?.danger).toBeUndefined();
  });

  it("say what is dangerous of its own instead", async () => {
    const terminal = askingTools(tools, ["terminal"]).at(-1);
    expect(await terminal?.danger?.({})).toEqual(own);
    expect(askingTools(tools, [])).toEqual(tools);
  });

  it.each([
    [
      { to: "a", body: "b\nbcc: eve" },
      { to: "a", body: "b", bcc: "eve" },
    ],
    [{ n: 1 }, { n: "1" }],
    [{ "a: 1\nb": 2 }, { a: 1, b: 2 }],
    [["x"], { 0: "x" }],
    [{ a: { b: 1 } }, { a: '{"b":1}' }],
  ])("are asked about again for another call: %j and %j", async (first, second) => {
    const [mail] = askingTools([tool("mail")], ["mail"]);
    const digest = async (args: unknown) => {
      const danger = await mail?.danger?.(args);
      if (!danger) throw new Error("Not asked about.");
      return digestOf("mail", danger);
    };
    expect(await digest(first)).toBe(await digest(structuredClone(first)));
    expect(await digest(first)).not.toBe(await digest(second));
  });
});
