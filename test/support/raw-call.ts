/** HTTP by the byte: what no client sends, and in pieces that the test chooses. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export function rawHead(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ host: new URL(url).host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** What is answered to exactly these bytes, until the other side ends. */
export async function rawCall(url: string, bytes: string): Promise<string> {
  return answerOn(await rawOpened(url, bytes));
}

export async function rawOpened(url: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}); // It is ended from the other side.
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

/** What comes until the other side ends. */
export async function answerOn(socket: Socket): Promise<string> {
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  await rawEnded(socket);
  return answer;
}

export async function rawEnded(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, "close");
}
