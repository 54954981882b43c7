// An MCP server over stdio, written for the tests, that behaves as its first argument says; the second is a folder of notes.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , mode = "plain", folder = ""] = process.argv;
const note = (name, text) => appendFileSync(join(folder, name), `${text}\n`);
const print = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

if (folder !== "") note("starts", process.pid);
if (mode === "dies") {
  process.stderr.write("no licence found\n");
  process.exit(3);
}
if (mode === "deaf") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
if (mode === "family") {
  const child = spawn(
    process.execPath,
    ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"],
    {
      stdio: "inherit",
    },
  );
  writeFileSync(join(folder, "child"), String(child.pid));
}
if (mode === "garbage") process.stdout.write('Welcome!\n{"not": "a message"}\n[1,2]\n\n\u001b[31m{broken\n');
if (mode === "babble") flood("y\n".repeat(20_000));
if (mode === "endless") flood("x".repeat(100_000));
if (mode === "shut") closeSync(1);
if (mode === "noisy") flood("noise \u001b[31mred\u001b[0m\n".repeat(1_000), process.stderr);

function flood(text, stream = process.stdout) {
  const more = () => {
    while (stream.write(text));
    stream.once("drain", more);
  };
  more();
}

const object = { type: "object" };
const deep = Array.from({ length: 2_000 }).reduce((inner) => ({ a: inner }), {});
const lists = {
  hostile: [
    { name: "a/b c\u001b[31m", description: "\u001b]0;title\u0007see \u202ethis", inputSchema: object },
    { name: "a_b_c", inputSchema: object },
    { name: "a b c", inputSchema: object },
    { name: "x".repeat(300), inputSchema: object },
    { name: "x".repeat(301), inputSchema: object },
    { name: "echo", inputSchema: object },
    { name: "echo", inputSchema: object },
    { name: "terminal", inputSchema: object },
    { name: "", inputSchema: object },
    null,
    7,
    { name: "no schema" },
    { name: "a list", inputSchema: [] },
    { name: "a text", inputSchema: { type: "string" } },
    { name: "huge", inputSchema: { type: "object", description: "d".repeat(60_000) } },
    { name: "half", inputSchema: { type: "object", description: "\ud800" } },
    { name: "deep", inputSchema: { type: "object", properties: { deep } } },
    { name: "untyped", inputSchema: { properties: { text: { type: "string" } } } },
  ],
  many: Array.from({ length: 500 }, (_, index) => ({ name: `t${index}`, inputSchema: object })),
};

const usual = [
  "echo",
  "wait",
  "progress",
  "fail",
  "big",
  "media",
  "odd",
  "refuse",
  "environment",
  "die",
  "grow",
];
let tools = lists[mode] ?? usual.map((name) => ({ name, description: `does ${name}`, inputSchema: object }));

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: mode === "toolless" ? {} : { tools: { listChanged: true } },
    serverInfo: { name: "test", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": ({ cursor }) => {
    if (mode === "listless") return null;
    if (mode === "restless") print({ method: "notifications/tools/list_changed" });
    if (mode === "pages")
      return { tools: [{ name: `p${cursor ?? 0}`, inputSchema: object }], nextCursor: `${cursor ?? 0}1` };
    if (folder !== "") note("lists", "one");
    return { tools };
  },
  "tools/call": ({ name, arguments: args, _meta }, id) => call(name, args, _meta?.progressToken, id),
};

function call(name, args, token, id) {
  const text = (said) => ({ content: [{ type: "text", text: said }] });
  switch (name) {
    case "echo":
      return text(String(args.text));
    case "wait":
      note("calls", id);
      return null;
    case "progress": {
      let step = 0;
      const timer = setInterval(() => {
        print({ method: "notifications/progress", params: { progressToken: token, progress: ++step } });
        if (step < 4) return;
        clearInterval(timer);
        print({ id, result: text("done after 4 steps") });
      }, args.everyMs);
      return null;
    }
    case "fail":
      return { ...text("it is \u001b[31mbroken"), isError: true };
    case "big":
      return text("b".repeat(args.size));
    case "media":
      return {
        content: [
          { type: "text", text: "look:" },
          { type: "image", data: "AAAA", mimeType: "image/png" },
          { type: "audio", data: "AAAAAAAA", mimeType: "audio/wav" },
          { type: "resource_link", uri: "file:///a", name: "a" },
          { type: "resource", resource: { uri: "file:///b", text: "the text of b" } },
          { type: "resource", resource: { uri: "file:///c", blob: "AAAA", mimeType: "x/y" } },
          { type: "hologram" },
          null,
        ],
      };
    case "odd":
      return { content: "not a list" };
    case "refuse":
      throw new Error("no \u001b[31msuch thing");
    case "environment":
      return text(JSON.stringify(process.env));
    case "die":
      process.exit(5);
      break;
    case "grow":
      tools = [...tools, { name: "grown", inputSchema: object }];
      print({ method: "notifications/tools/list_changed" });
      return text("grown");
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === "notifications/cancelled") note("cancelled", params.requestId);
  if (["silent", "shut"].includes(mode) || !(method in answers)) return;
  try {
    const result = answers[method](params, id);
    if (result !== null) print({ id, result });
  } catch (error) {
    print({ id, error: { code: -32_602, message: error.message } });
  }
});
