/** Servers over HTTP on loopback that do not behave. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aCall } from "../../../test/support/a-call.js";
import { type McpOptions, McpServers, type McpState } from "./mcp-servers.js";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}
type Answer = (request: Request, response: ServerResponse, incoming: IncomingMessage) => void;

let server: Server;
let url: string;
let seen: { method: string; headers: IncomingMessage["headers"] }[];
let answer: Answer;
let open: McpServers[];
let said: string[];

beforeEach(async () => {
  seen = [];
  open = [];
  said = [];
  answer = usual;
  server = createServer(async (incoming, response) => {
    seen.push({ method: incoming.method ?? "", headers: incoming.headers });
    let body = "";
    for await (const piece of incoming) body += piece;
    if (incoming.method !== "POST") response.writeHead(405).end();
    else answer(JSON.parse(body), response, incoming);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterEach(async () => {
  await Promise.all(open.map((mcp) => mcp.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const json = (response: ServerResponse, id: number | undefined, result: unknown) =>
  response
    .writeHead(200, { "content-type": "application/json", "mcp-session-id": "s1" })
    .end(JSON.stringify({ jsonrpc: "2.0", id, result }));

/** Answers as one should; each tool is its own kind of trouble. */
const usual: Answer = ({ id, method, params }, response, incoming) => {
  if (id === undefined) return response.writeHead(202).end();
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params ?? {};
      return json(response, id, {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "t", version: "1" },
      });
    }
    case "tools/list": {
      const names = ["echo", "cut", "half", "flood", "hang", "forget", "broken", "drop"];
      return json(response, id, { tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) });
    }
    case "tools/call":
      return calls[params?.name ?? ""]?.({ id, method }, response, incoming);
    default: {
      const data = JSON.stringify({ jsonrpc: "2.0", id, result: {} });
      return response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${data}\n\n`);
    }
  }
};

const calls: Record<string, Answer> = {
  echo: ({ id }, response, { headers }) => {
    json(response, id, { content: [{ type: "text", text: `you are ${headers.authorization}` }] });
  },
  cut: (_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n"),
  half: (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {");
    setImmediate(() => response.destroy());
  },
  flood: (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(100_000)));
    };
    response.on("drain", more);
    more();
  },
  hang: () => {},
  forget: (_, response) => {
    answer = (request, next, incoming) => {
      if (request.method === "initialize") answer = usual;
      if (request.method === "initialize") usual(request, next, incoming);
      else next.writeHead(404).end();
    };
    response.writeHead(404).end("no such session");
  },
  broken: (_, response) => response.writeHead(500).end("\u001b[31mpanic"),
  drop: (_, response) => response.destroy(),
};

function serve(options: Partial<McpOptions> = {}, headers = {}, timeoutMs = 10_000): McpServers {
  const mcp = new McpServers(
    [{ name: "web", reach: { kind: "http", url, headers }, timeoutMs, tools: null }],
    {
      version: "0",
      reserved: [],
      clock: Date.now,
      retryMs: () => 10,
      patienceMs: 55_000,
      log: (line) => said.push(line),
      onProblem: (problem) => said.push(problem),
      ...options,
    },
  );
  open.push(mcp);
  mcp.start();
  return mcp;
}

async function call(mcp: McpServers, name: string): Promise<string> {
  const tool = (await mcp.tools()).find((each) => each.name === `web_${name}`);
  return (await tool?.run({}, { call: aCall, signal: new AbortController().signal })) ?? "no such tool";
}

const stateOf = (mcp: McpServers) => mcp.states()[0] as McpState;
const failed = (mcp: McpServers) =>
  vi.waitFor(
    () => {
      const state = stateOf(mcp);
      if (state.kind !== "failed") throw new Error(state.kind);
      return state.reason;
    },
    { timeout: 10_000, interval: 5 },
  );

describe("a server over HTTP", () => {
  it("is sent the headers, whose secrets do not come back", async () => {
    const mcp = serve({}, { authorization: { reveal: () => "Bearer canary-1234" } });
    expect(await call(mcp, "echo")).toBe("you are ***");
    expect(seen.every(({ headers }) => headers.authorization === "Bearer canary-1234")).toBe(true);
  });

  it("is taken leave of", async () => {
    const mcp = serve();
    await mcp.tools();
    await mcp.close();
    expect(seen.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "s1" } });
  });

  it.each([
    [401, "it refused access (HTTP 401): check its `headers` in config.yaml"],
    [403, "it refused access (HTTP 403): check its `headers` in config.yaml"],
    [404, "there is no MCP server at its URL (HTTP 404)"],
    [302, "it redirects to another URL (HTTP 302): set its `url` to the new one"],
    [503, "it answered HTTP 503"],
  ])("that answers %i is said to have failed", async (status, why) => {
    answer = (_, response) =>
      response.writeHead(status, { location: "https://elsewhere.invalid/" }).end("canary");
    const mcp = serve({ retryMs: () => 60_000 });
    expect(await failed(mcp)).toBe(why);
    expect(said).toEqual([`Can't use the MCP server web: ${why}.`]);
  });

  it("that is a web page, or nothing at all, has failed", async () => {
    answer = (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>");
    expect(await failed(serve({ retryMs: () => 60_000 }))).toBe("its answer is not valid MCP");
    url = "http://127.0.0.1:1/mcp";
    expect(await failed(serve({ retryMs: () => 60_000 }))).toMatch(
      /^nothing answers at its URL$|could not be reached/,
    );
  });

  it("is let in once its header is right, without another start", async () => {
    let token = "wrong-token";
    answer = (request, response, incoming) =>
      incoming.headers.authorization === "right-token"
        ? usual(request, response, incoming)
        : response.writeHead(401).end();
    const mcp = serve({}, { authorization: { reveal: () => token } });
    await failed(mcp);
    token = "right-token";
    await vi.waitFor(() => expect(stateOf(mcp).kind).toBe("ready"), { timeout: 10_000 });
  });

  it("does not learn a header that cannot be sent, and nobody else does", async () => {
    const mcp = serve({ retryMs: () => 60_000 }, { authorization: { reveal: () => "canary\n1234" } });
    expect(await failed(mcp)).toBe("the header authorization has characters that HTTP does not allow");
  });

  it.each(["cut", "half", "flood", "drop"])("ends a call whose answer breaks off: %s", async (name) => {
    const mcp = serve();
    expect(await call(mcp, name)).toBe(
      "Error: the connection to the MCP server web was lost during the call; it may or may not have taken effect.",
    );
    await vi.waitFor(() => expect(stateOf(mcp).kind).toBe("ready"), { timeout: 10_000 });
    expect(await call(mcp, "echo")).toBe("you are undefined");
  });

  it("is given up at the time-out", async () => {
    expect(await call(serve({}, {}, 100), "hang")).toMatch(
      /^Error: the MCP server web sent no answer and no progress for 0\.1 s/,
    );
  });

  it("that fails says so in our words", async () => {
    expect(await call(serve(), "broken")).toBe(
      "Error: the MCP server answered HTTP 500; it may or may not have taken effect.",
    );
  });

  it("that has forgotten us is connected to again", async () => {
    const mcp = serve();
    expect(await call(mcp, "forget")).toBe(
      "Error: the MCP server web refused the call (HTTP 404); the tool was not run.",
    );
    await vi.waitFor(
      async () => {
        expect(stateOf(mcp).kind).toBe("ready");
        expect(await call(mcp, "echo")).toBe("you are undefined");
      },
      { timeout: 10_000, interval: 20 },
    );
    expect(seen.filter(({ method }) => method === "GET")).toHaveLength(2);
  });

  it("is asked whether it is there when something went wrong, and not without end", async () => {
    let pings = 0;
    answer = (request, response, incoming) => {
      if (request.method === "ping") pings += 1;
      usual(request, response, incoming);
    };
    const mcp = serve();
    await call(mcp, "broken");
    for (let count = 0; count < 20; count++) await call(mcp, "echo");
    expect(pings).toBe(1);
  });
});
