/** `send_file`, and `files` of `send_message`: from the agent's folders, byte for byte, all or nothing. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chat, until, World } from "../../test/support/gateway-world.js";
import type { Agent } from "../agent/agent.js";
import { runToolCall } from "../agent/tool-call.js";
import { filesToSend } from "../agent/tools/built-in.js";
import { hidingFiles } from "../agent/tools/outgoing-files.js";
import { Redactor } from "../util/redact.js";
import type { ToolLists } from "./permissions.js";

/** A message that is JSON calls that tool; the answer is its result, or that there is no such tool. */
const caller: Agent = {
  name: "caller",
  async *run({ history, tools, signal }) {
    const said = history.at(-1)?.content ?? "";
    const { tool: name, ...args } = said.startsWith("{") ? JSON.parse(said) : {};
    const call = { id: `c${history.length}`, name, arguments: JSON.stringify(args) };
    const content = name ? await runToolCall(call, tools, signal) : `heard: ${said}`;
    yield { kind: "message", message: { role: "assistant", content }, results: [] };
    yield { kind: "done", stopped: false };
  },
};

const PNG = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1");
const SECRET = "sk-hardly-a-secret-0123456789";

let folder: string;
let world: World;
let ann: Chat;
let elsewhere: Chat;
const at = (name: string): string => join(folder, name);

async function open(toolLists: ToolLists = {}, can: readonly "files"[] = ["files"]): Promise<void> {
  const redactor = new Redactor();
  redactor.know(() => [SECRET]);
  const places = { workdir: at("work"), folders: [at("work")], own: [at("home")], environment: {} };
  world = await World.open({
    can,
    mediaFolder: at("media"),
    people: { owners: { telegram: ["ann"] } },
    gateway: {
      agent: caller,
      toolLists,
      outgoing: async () => hidingFiles(filesToSend(places), redactor),
    },
  });
  ann = world.chat("ann");
  elsewhere = world.chat("ann", { chatId: "work" });
  for (const chat of [ann, elsewhere]) await chat.ask("hello");
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-send-file-"));
  for (const name of ["work", "home", "media"]) mkdirSync(at(name));
  writeFileSync(at("work/chart.png"), PNG);
  writeFileSync(at("work/table.csv"), "a,b\n1,2\n");
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (tool: string, args: object) => ann.ask(JSON.stringify({ tool, ...args }));
/** What was sent beside the answers: each letter's text and files. */
const letters = () =>
  world.adapter.sent
    .filter(({ files }) => files)
    .map(({ text, files = [], address }) => ({
      to: address.chatId,
      text,
      files: files.map(({ name, mediaType, path }) => ({ name, mediaType, bytes: readFileSync(path) })),
    }));
const chart = { name: "chart.png", mediaType: "image/png", bytes: PNG };
const table = { name: "table.csv", mediaType: "text/csv", bytes: Buffer.from("a,b\n1,2\n") };

describe("send_file", () => {
  it("sends a picture with its caption, before the answer", async () => {
    await open();
    await ann.write(JSON.stringify({ tool: "send_file", path: "chart.png", caption: "The **chart**" }));
    await until(() => ann.told.includes("chart.png: on the way."));
    expect(letters()).toEqual([{ to: "ann", text: "The **chart**", files: [chart] }]);
    expect(world.adapter.sent.at(-2)?.files?.[0]).toMatchObject({ from: at("work/chart.png") });
    expect(world.adapter.textsTo("ann").at(-1)).toBe("chart.png: on the way.");
  });

  it("sends several at once, pictures together; a long caption goes before them", async () => {
    await open();
    const caption = "words ".repeat(30).trim();
    const paths = ["chart.png", "chart.png", "table.csv"];
    await ann.write(JSON.stringify({ tool: "send_file", paths, caption }));
    await until(() => ann.told.includes("chart.png, chart.png, table.csv: on the way."));
    expect(letters()).toEqual([
      { to: "ann", text: "", files: [chart, chart] },
      { to: "ann", text: "", files: [table] },
    ]);
    expect(world.adapter.textsTo("ann")).toContain(caption);
  });

  it("refuses what it cannot send, says why, and sends nothing", async () => {
    await open();
    writeFileSync(at("home/token"), "x");
    writeFileSync(at("outside.txt"), "x");
    symlinkSync(at("outside.txt"), at("work/link.txt"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', at("work/pipe")]);
    writeFileSync(at("work/large.bin"), new Uint8Array(1024 * 1024 + 1));
    writeFileSync(at("work/config.txt"), `${"x".repeat(70_000)} token=${SECRET}\n`);
    for (const [args, reason] of [
      [{}, /`path` is missing/],
      [{ path: "" }, /is empty/],
      [{ path: "." }, /is a folder/],
      [{ path: "gone.txt" }, /there is no/],
      [{ path: at("outside.txt") }, /outside the folders/],
      [{ path: "link.txt" }, /outside the folders/],
      [{ path: at("home/token") }, /outside the folders/],
      [{ path: "pipe" }, /not a file but a pipe/],
      [{ path: "large.bin" }, /too large: 1\.0 MB\. At most 1\.0 MB can be sent there/],
      [{ path: "config.txt" }, /contains a secret/],
      [{ paths: ["chart.png", "gone.txt"] }, /there is no/],
      [{ paths: Array(11).fill("chart.png") }, /at most 10/],
    ] as const)
      expect(await call("send_file", args)).toMatch(new RegExp(`^Error: .*${reason.source}`, "s"));
    expect(letters()).toEqual([]);
    expect(readdirSync(at("media"))).toEqual([]);
  });

  it("asks before it sends a sensitive file", async () => {
    await open();
    writeFileSync(at("work/.env"), "KEY=1");
    await ann.write(JSON.stringify({ tool: "send_file", paths: ["chart.png", ".env"] }));
    await until(() => ann.told.some((text) => text.includes("usually holds secrets")));
    expect(ann.told.at(-1)).toContain(".env");
    expect(letters()).toEqual([]);
    await ann.write("/deny");
    await until(() => world.adapter.textsTo("ann").some((text) => /denied|not allowed|said no/i.test(text)));
    expect(letters()).toEqual([]);
  });

  it("says so on a platform that takes no files", async () => {
    await open({}, []);
    expect(await call("send_file", { path: "chart.png" })).toMatch(/^Error: files can't be sent by Telegram/);
    expect(readdirSync(at("media"))).toEqual([]);
  });
});

describe("files of send_message", () => {
  it("go to the other chat, and its transcript names them", async () => {
    await open();
    const to = `telegram:${elsewhere.source.chatId}`;
    expect(await call("send_message", { to, files: ["chart.png"] })).toBe(`chart.png: on the way to ${to}.`);
    await until(() => letters().length === 1);
    expect(letters()).toEqual([{ to: elsewhere.source.chatId, text: "", files: [chart] }]);
    expect(await elsewhere.transcript()).toContain("assistant: [attached: chart.png (image/png)]");
  });

  it("are for those who have send_file", async () => {
    await open({ byPerson: { "telegram:ann": ["send_message"] } });
    expect(await call("send_file", { path: "chart.png" })).toMatch(/send_file/);
    const to = `telegram:${elsewhere.source.chatId}`;
    expect(await call("send_message", { to, text: "x", files: ["chart.png"] })).toMatch(
      /^Error: you can't send files/,
    );
    expect(letters()).toEqual([]);
  });

  it("are asked about where send_file is", async () => {
    await open({ ask: ["send_file"] });
    const to = `telegram:${elsewhere.source.chatId}`;
    await ann.write(JSON.stringify({ tool: "send_message", to, files: ["chart.png"] }));
    await until(() => ann.told.some((text) => text.includes("wants to be asked about")));
    expect(ann.told.at(-1)).toContain(to);
    expect(letters()).toEqual([]);
  });
});
