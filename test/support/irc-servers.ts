/** IRC servers on loopback: a real ngircd where there is one, and a tiny one of our own everywhere. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const PASSWORD = "sesame";
const HOST = "127.0.0.1";

export interface IrcServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Null where it is not installed. */
export async function startNgircd(): Promise<IrcServer | null> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "baton-ngircd-"));
  const file = join(folder, "ngircd.conf");
  const settings = {
    Global: `Name = irc.example.test\nInfo = test\nListen = ${HOST}\nPorts = ${port}\nPassword = ${PASSWORD}\nMotdPhrase = hello`,
    Limits: "MaxConnectionsIP = 0\nMaxPenaltyTime = 0",
    Options: "DNS = no\nIdent = no\nPAM = no",
  };
  const sections = Object.entries(settings).map(([name, lines]) => `[${name}]\n${lines}\n`);
  writeFileSync(file, sections.join("\n"));
  const path = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
  const child = spawn("ngircd", ["-n", "-f", file], { stdio: "ignore", env: { PATH: path } });
  const ended = new Promise<void>((resolve) =>
    child.once("close", () => resolve()).once("error", () => resolve()),
  );
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true });
  };
  const started = await Promise.race([listening(port), ended.then(() => false)]);
  if (started) return { port, stop };
  await stop();
  return null;
}

/** Nicks, one password, channels, private messages, PING: what the adapter needs, and no more. */
export async function startTinyServer(): Promise<IrcServer> {
  const people = new Map<string, Socket>();
  const channels = new Map<string, Set<string>>();
  const server = createServer({ noDelay: true }, (socket) => {
    let nick = "";
    let password = "";
    let isUser = false;
    const tell = (text: string) => socket.write(`:tiny ${text}\r\n`);
    const leave = (): void => {
      if (people.get(nick.toLowerCase()) !== socket) return;
      people.delete(nick.toLowerCase());
      for (const members of channels.values()) members.delete(nick.toLowerCase());
    };
    const welcome = (): void => {
      people.set(nick.toLowerCase(), socket);
      tell(`001 ${nick} :Welcome`);
    };
    const commands: Record<string, (words: string[]) => void> = {
      PASS: ([given = ""]) => {
        password = given;
      },
      NICK: ([wanted = ""]) => {
        if (people.has(wanted.toLowerCase())) return void tell(`433 * ${wanted} :Nickname already in use`);
        nick = wanted;
        if (isUser) welcome();
      },
      USER: () => {
        isUser = true;
        if (password !== PASSWORD) socket.end("ERROR :Access denied: Bad password?\r\n");
        else if (nick !== "") welcome();
      },
      JOIN: ([channel = ""]) => {
        channels.set(channel, new Set([...(channels.get(channel) ?? []), nick.toLowerCase()]));
        tell(`366 ${nick} ${channel} :End of NAMES list`);
      },
      PING: ([token = ""]) => tell(`PONG tiny :${token}`),
      QUIT: () => {
        leave();
        socket.end("ERROR :Closing connection\r\n");
      },
    };
    const say = (command: string, [to = "", text = ""]: string[]): void => {
      const members = channels.get(to) ?? (people.has(to.toLowerCase()) ? [to.toLowerCase()] : null);
      if (!members) return void tell(`401 ${nick} ${to} :No such nick or channel name`);
      for (const member of members)
        if (!channels.has(to) || member !== nick.toLowerCase())
          people.get(member)?.write(`:${nick}!~${nick}@tiny ${command} ${to} :${text}\r\n`);
    };
    linesOf(socket).on("line", (line) => {
      const { command, words } = parseLine(line);
      if (command === "PRIVMSG" || command === "NOTICE") say(command, words);
      else commands[command]?.(words);
    });
    socket.on("close", leave);
  });
  return { port: await listen(server), stop: () => closeAll(server, people.values()) };
}

/** A person with a client of their own. */
export class IrcPerson {
  /** What was said to them, or to a channel they are in: by name of the chat as they see it. */
  readonly heard: { readonly to: string; readonly from: string; readonly text: string }[] = [];
  readonly nick: string;
  readonly #socket: Socket;
  #waiting: (() => void)[] = [];
  #echoes = 0;
  readonly #echoed = new Set<string>();
  #isIn = false;

  private constructor(nick: string, port: number) {
    this.nick = nick;
    this.#socket = connect(port, HOST);
    linesOf(this.#socket).on("line", (line) => {
      const { from, command, words } = parseLine(line);
      const [to = "", text = ""] = words;
      if (command === "PING") this.#socket.write(`PONG :${words.at(-1)}\r\n`);
      if (command === "366") this.#isIn = true;
      if (command === "PRIVMSG") this.heard.push({ to, from, text });
      if (command === "NOTICE") this.#echoed.add(text.replaceAll("\u0001", ""));
      if (command === "PONG" || command === "401") this.#echoed.add(words.at(-1) ?? "").add(command);
      for (const look of this.#waiting.splice(0)) look();
    });
  }

  static async arrive(nick: string, port: number, channel: string): Promise<IrcPerson> {
    const person = new IrcPerson(nick, port);
    person.#socket.write(
      `PASS ${PASSWORD}\r\nNICK ${nick}\r\nUSER ${nick} 0 * :${nick}\r\nJOIN ${channel}\r\n`,
    );
    await person.until(() => person.#isIn);
    return person;
  }

  /** Says it, and waits until the other side has dealt with it, or is not there. */
  async say(to: string, text: string, bot: string): Promise<void> {
    const echo = `PING ${this.nick}${++this.#echoes}`;
    this.#echoed.delete("401");
    this.#socket.write(`PRIVMSG ${to} :${text}\r\n`);
    const isKnown = () => this.#echoed.has(echo) || this.#echoed.has("401");
    const ask = () => this.#socket.write(`PRIVMSG ${bot} :\u0001${echo}\u0001\r\n`);
    const again = setInterval(ask, 50); // The other side may leave in this moment.
    ask();
    await this.until(isKnown);
    clearInterval(again);
  }

  /** Everything that the server had for them by now is here. */
  async settle(): Promise<void> {
    const token = `settled${++this.#echoes}`;
    this.#socket.write(`PING ${token}\r\n`);
    await this.until(() => this.#echoed.has(token));
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    this.#socket.destroy();
  }
}

/** A line between an adapter and its server that can be cut, or go deaf. */
export class Wire {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  isDeaf = false;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async to(target: number): Promise<Wire> {
    const server = createServer();
    const wire = new Wire(server, await listen(server));
    server.on("connection", (near) => {
      const far = connect(target, HOST);
      const pair = [near, far] as const;
      wire.#pairs.add(pair);
      near.on("data", (data) => far.write(data));
      far.on("data", (data) => wire.isDeaf || near.write(data));
      for (const socket of pair) {
        socket.on("error", () => {});
        socket.on("close", () => {
          wire.#pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
      }
    });
    return wire;
  }

  /** As if the server had said it. */
  say(text: string): void {
    for (const [near] of this.#pairs) near.write(text);
  }

  cut(): void {
    for (const [near] of this.#pairs) near.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await closeAll(this.#server, []);
  }
}

/** `:nick!user@host COMMAND one two :and the rest`. */
function parseLine(line: string): { from: string; command: string; words: string[] } {
  const [, from = "", head = "", rest] = /^(?::([^ !]*)\S* +)?(.*?)(?: :(.*))?$/s.exec(line) ?? [];
  const [command = "", ...words] = head.split(" ").filter(Boolean);
  return { from, command, words: rest === undefined ? words : [...words, rest] };
}

/** A line that breaks off is one that ended. */
function linesOf(socket: Socket) {
  return createInterface({ input: socket }).on("error", () => {});
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await closeAll(server, []);
  return port;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}

function closeAll(server: Server, sockets: Iterable<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** True once somebody answers there. */
async function listening(port: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    const answered = await new Promise<boolean>((resolve) => {
      const socket = connect(port, HOST);
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (answered) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}
