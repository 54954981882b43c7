import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { hidingFetch } from "./http.js";

test("no secret goes out in a request's body; the key in its header does", async () => {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    for await (const chunk of request.setEncoding("utf8")) seen.push(String(chunk));
    seen.push(request.headers.authorization ?? "");
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fetch = hidingFetch((text) => text.replaceAll("canary", "***"));
  const headers = { authorization: "Bearer canary" };
  await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: '{"a":"canary"}' });
  expect(seen).toEqual(['{"a":"***"}', "Bearer canary"]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
