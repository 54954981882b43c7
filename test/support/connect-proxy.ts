/** A proxy that knows CONNECT. Every name leads to this machine, so names of no machine show what went through it. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export class ConnectProxy {
  /** Where tunnels led to: `platform.test:80`. */
  readonly asked: string[] = [];
  /** What it says instead of opening a tunnel. */
  refusal: string | null = null;
  readonly #server = createServer();
  readonly #sockets = new Set<Socket>();

  static async open(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  private constructor() {
    this.#server.on("connect", ({ url = "" }, client: Socket) => {
      this.asked.push(url);
      this.#keep(client);
      if (this.refusal !== null) return void client.end(`HTTP/1.1 ${this.refusal}\r\n\r\n`);
      const target = this.#keep(connect(Number(url.split(":").at(-1)), "127.0.0.1"));
      target.once("connect", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(target).pipe(client);
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on("error", () => {});
  }
}
