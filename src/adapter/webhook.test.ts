/** What posts may cost before anybody knows who they are from, and what becomes of those that are proven. */
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { headerIn, isSame, serveWebhook, signatureOf, Webhook, type WebhookOptions } from "./webhook.js";

const SECRET = "the platform's secret";
let webhook: Webhook;
let port: number;
let posted: string[];
const sockets: Socket[] = [];

const OPTIONS: WebhookOptions = {
  host: "127.0.0.1",
  port: 0,
  path: "/hook",
  proof: (headers) => {
    const signature = headerIn(headers, "x-signature");
    if (!/^[0-9a-f]{64}$/.test(signature)) return null;
    return (body) => isSame(signature, signatureOf(SECRET, body));
  },
  onPost: async (body) => void posted.push(body.toString()),
};

const open = async (more: Partial<WebhookOptions> = {}): Promise<void> => {
  posted = [];
  webhook = new Webhook({ ...OPTIONS, ...more });
  port = await webhook.listen();
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await webhook.close();
});

const signed = (body: string, secret = SECRET): string => signatureOf(secret, body) ?? "";
const post = (body: string, signature: string, path = "/hook") =>
  fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers: { "x-signature": signature }, body });

/** What comes back, until the other side closes. */
function written(text: string): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.write(text);
  let said = "";
  socket.on("data", (data) => {
    said += data;
  });
  socket.on("error", () => {});
  return { socket, answer: new Promise((resolve) => socket.on("close", () => resolve(said))) };
}

/** Sends only the head of a post. */
function head(lines: readonly string[]): ReturnType<typeof written> {
  return written(["POST /hook HTTP/1.1", "Host: localhost", ...lines, "", ""].join("\r\n"));
}

/** A post that is being read: it was told to go on. */
async function begun(): Promise<ReturnType<typeof written>> {
  const one = head([`X-Signature: ${signed("{}")}`, "Content-Length: 2", "Expect: 100-continue"]);
  await new Promise((resolve) => one.socket.once("data", resolve));
  return one;
}

describe("a post", () => {
  it.each([
    ["without a signature", [], 401],
    ["with what is none", ["X-Signature: 1234"], 401],
    ["with a body that is too long", [`X-Signature: ${signed("")}`], 413],
  ])(
    "%s is refused before a byte of its body is read, and its connection closed",
    async (_, lines, status) => {
      await open();
      const { answer } = head([...lines, "Content-Length: 104857600"]);
      expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*connection: close`, "is"));
      expect(posted).toEqual([]);
    },
  );

  it("whose body does not say how long it is, is read no further than a megabyte", async () => {
    await open();
    const { socket, answer } = head([`X-Signature: ${signed("")}`, "Transfer-Encoding: chunked"]);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    socket.write(chunk.repeat(17));
    expect(await answer).toMatch(/^HTTP\/1.1 413 .*connection: close/is);
    expect(posted).toEqual([]);
  });

  it("is not heard beside 64 connections", async () => {
    await open();
    for (let n = 0; n < 64; n += 1) {
      const idle = connect(port, "127.0.0.1");
      sockets.push(idle);
      await new Promise((resolve) => idle.once("connect", resolve));
    }
    expect(await head(["Content-Length: 0"]).answer).toBe("");
  });

  it("whose body does not come is given up", async () => {
    await open({ bodyMs: 1 });
    const { answer } = head([`X-Signature: ${signed("{}")}`, "Content-Length: 2"]);
    await answer; // Closed by the other side, which waited a millisecond.
    expect(posted).toEqual([]);
  });

  it("comes again while sixteen others are being read", async () => {
    await open();
    const slow = await Promise.all(Array.from({ length: 16 }, begun));
    expect((await post("{}", signed("{}"))).status).toBe(503);
    for (const { socket } of slow) socket.write("{}");
    for (const { socket, answer } of slow) {
      socket.end();
      expect(await answer).toMatch(/HTTP\/1.1 200/);
    }
    expect((await post("{}", signed("{}"))).status).toBe(200);
    expect(posted).toHaveLength(17);
  });

  it("whose head does not come is given up", async () => {
    await open({ headMs: 1 });
    expect(await written("POST /hook HTTP/1.1\r\nX-Slow: ").answer).toMatch(/^(?:HTTP\/1.1 408 .*)?$/s);
    expect(posted).toEqual([]);
  });

  it("whose body has not come yet does not hold up the end", async () => {
    await open({ bodyMs: 24 * 60 * 60_000 });
    const { answer } = await begun();
    await webhook.close();
    expect(await answer).not.toMatch(/HTTP\/1.1 2\d\d (?!Continue)/);
    expect(posted).toEqual([]);
  });

  it("signed with another secret, or for another body, is refused", async () => {
    await open();
    expect((await post("{}", signed("{}", "another"))).status).toBe(401);
    expect((await post('{"more":1}', signed("{}"))).status).toBe(401);
    expect(posted).toEqual([]);
  });

  it("elsewhere, or by another method, is refused", async () => {
    await open();
    for (const path of ["/", "/hooks", "/hook/", "/hook/../other", "//hook"])
      expect((await post("{}", signed("{}"), path)).status).toBe(404);
    for (const method of ["GET", "PUT", "DELETE"])
      expect((await fetch(`http://127.0.0.1:${port}/hook`, { method })).status).toBe(405);
    expect(posted).toEqual([]);
    expect((await post("{}", signed("{}"), "/hook?from=proxy")).status).toBe(200);
  });

  it("is answered only once it was received, and refused if that failed", async () => {
    const order: string[] = [];
    let keep: () => void = () => {};
    const kept = new Promise<void>((resolve) => {
      keep = resolve;
    });
    let arrive: () => void = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await open({
      onPost: async (body) => {
        if (body.toString() === "no") throw new Error("The disk is full.");
        arrive();
        await kept;
        order.push("kept");
        return { type: "application/json", body: '{"ok":true}' };
      },
    });
    const answered = post("{}", signed("{}")).then(async (response) => {
      order.push("answered");
      return [response.status, response.headers.get("content-type"), await response.text()];
    });
    await arrived;
    expect(order).toEqual([]);
    keep();
    expect(await answered).toEqual([200, "application/json", '{"ok":true}']);
    expect(order).toEqual(["kept", "answered"]);
    const failed = await post("no", signed("no"));
    expect([failed.status, await failed.text()]).toEqual([500, ""]);
  });

  it("beside 64 others that are not received yet comes again, also on one connection", async () => {
    let keep: () => void = () => {};
    const kept = new Promise<void>((resolve) => {
      keep = resolve;
    });
    let waiting = 0;
    let all: () => void = () => {};
    const full = new Promise<void>((resolve) => {
      all = resolve;
    });
    await open({
      onPost: async () => {
        waiting += 1;
        if (waiting === 64) all();
        await kept;
        return undefined;
      },
    });
    const one = `POST /hook HTTP/1.1\r\nHost: x\r\nX-Signature: ${signed("{}")}\r\nContent-Length: 2\r\n\r\n{}`;
    // One after the other, so that at most one body is being read.
    const { socket } = written(one.repeat(64));
    await full;
    expect((await post("{}", signed("{}"))).status).toBe(503);
    keep();
    socket.end();
  });
});

it("is finished before the end, and nothing listens after it", async () => {
  posted = [];
  const end = new AbortController();
  const place = { ...OPTIONS, end: end.signal, portVariable: "THE_PORT" };
  let arrive: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let keep: () => void = () => {};
  const kept = new Promise<void>((resolve) => {
    keep = resolve;
  });
  const onPost = async () => {
    arrive();
    await kept;
    return undefined;
  };
  let answered: Promise<Response> | undefined;
  const served = serveWebhook({ ...place, onPost }, async (listening) => {
    port = listening;
    answered = post("{}", signed("{}"));
  });
  await arrived;
  end.abort();
  keep();
  await served;
  expect((await answered)?.status).toBe(200);
  await expect(post("{}", signed("{}"))).rejects.toThrow();
});

it("says of a port that is taken which setting to change", async () => {
  await open();
  const end = new AbortController();
  const taken = { ...OPTIONS, port, end: end.signal, portVariable: "THE_PORT" };
  await expect(serveWebhook(taken, async () => expect.unreachable("It listens."))).rejects.toMatchObject({
    outcome: "retryable",
    message: `The webhook can't listen on 127.0.0.1:${port} (EADDRINUSE): does another program or bot use it? Set THE_PORT.`,
  });
});

it("has no signature for an empty secret, and opens to none", () => {
  expect(signatureOf("", "{}")).toBeNull();
  expect(isSame("", "")).toBe(false);
  expect(isSame("x", null)).toBe(false);
  expect(isSame(undefined, "x")).toBe(false);
  expect(isSame("x", "x")).toBe(true);
  expect(isSame("y", "x")).toBe(false);
});
