/** What posts may cost before anybody knows who they are from. */
import { createHmac } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Webhook } from "./webhook.js";

const SECRET = "the app's secret";
let webhook: Webhook;
let port: number;
let posted: unknown[];
const sockets: Socket[] = [];

const open = async (more: { appSecret?: () => string; bodyMs?: number } = {}): Promise<void> => {
  posted = [];
  webhook = new Webhook({
    host: "127.0.0.1",
    port: 0,
    path: "/hook",
    appSecret: () => SECRET,
    verifyToken: () => "token",
    onPost: async (body) => void posted.push(body),
    ...more,
  });
  port = await webhook.listen();
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await webhook.close();
});

const signed = (body: string, secret = SECRET): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const post = (body: string, signature: string) =>
  fetch(`http://127.0.0.1:${port}/hook`, {
    method: "POST",
    headers: { "x-hub-signature-256": signature },
    body,
  });

/** Sends only the head of a post; what comes back, until the other side closes. */
function head(lines: readonly string[]): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.write(["POST /hook HTTP/1.1", "Host: localhost", ...lines, "", ""].join("\r\n"));
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("error", () => {});
  return { socket, answer: new Promise((resolve) => socket.on("close", () => resolve(text))) };
}

describe("a post", () => {
  it.each([
    ["without a signature", [], 401],
    ["with what is none", ["X-Hub-Signature-256: sha256=1234"], 401],
    ["with a body that is too long", [`X-Hub-Signature-256: ${signed("")}`], 413],
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
    const { socket, answer } = head([`X-Hub-Signature-256: ${signed("")}`, "Transfer-Encoding: chunked"]);
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
    const { answer } = head([`X-Hub-Signature-256: ${signed("{}")}`, "Content-Length: 2"]);
    await answer; // Closed by the other side, which waited a millisecond.
    expect(posted).toEqual([]);
  });

  it("comes again while sixteen others are being read", async () => {
    await open();
    const slow = Array.from({ length: 16 }, () =>
      head([`X-Hub-Signature-256: ${signed("{}")}`, "Content-Length: 2", "Expect: 100-continue"]),
    );
    // Each is being read when it was told to go on.
    await Promise.all(slow.map(({ socket }) => new Promise((resolve) => socket.once("data", resolve))));
    expect((await post("{}", signed("{}"))).status).toBe(503);
    for (const { socket } of slow) socket.write("{}");
    for (const { socket, answer } of slow) {
      socket.end();
      expect(await answer).toMatch(/HTTP\/1.1 200/);
    }
    expect((await post("{}", signed("{}"))).status).toBe(200);
    expect(posted).toHaveLength(17);
  });

  it("signed with an empty secret is never taken, whatever becomes of the secret", async () => {
    expect(() => new Webhook({ ...options, appSecret: () => "" })).toThrow("WHATSAPP_APP_SECRET");
    let secret = SECRET;
    await open({ appSecret: () => secret });
    expect((await post("{}", signed("{}"))).status).toBe(200);
    secret = "";
    expect((await post("{}", signed("{}", ""))).status).toBe(401);
    expect(posted).toHaveLength(1);
  });
});

const options = {
  host: "127.0.0.1",
  port: 0,
  path: "/hook",
  verifyToken: () => "token",
  onPost: async () => {},
};
