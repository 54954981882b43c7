/**
 * A real `baton gateway` with the page, Telegram and a model on loopback, which can be killed and started again on the same
 * port. The model repeats what it is told, unless the test gave it something else to say.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { processFolder } from "../../src/process/places.js";
import { baton, makeHome } from "./baton.js";
import { ModelServer, type Reply } from "./model-server.js";
import { endHost, hostWorld } from "./process-host.js";
import { TelegramServer } from "./telegram-server.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** Ann runs the gateway; Bob is a member. */
export const ANN = 100_001;
export const BOB = 100_002;
const NAMES = new Map([
  [ANN, "Ann"],
  [BOB, "Bob"],
]);

/** What the model says, by the last words that a person wrote; `null` leaves it to the next. */
export type Play = (said: string, last: { readonly role: string; readonly content: string }) => Reply | null;

/** What else there is to a message on Telegram. */
interface SaidMore {
  /** What its writer is called. */
  readonly name?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export class PageGateway {
  readonly home = makeHome();
  readonly work = join(this.home, "..", "work");
  play: Play = () => null;
  #gateway: ChildProcess | null = null;
  #log = "";

  static async start(settings: object = {}): Promise<PageGateway> {
    const [telegram, model, port] = await Promise.all([
      TelegramServer.start({ topics: false }),
      ModelServer.start(),
      freePort(),
    ]);
    for (const [id, first_name] of NAMES)
      telegram.chats.set(String(id), { full: { id, type: "private", first_name } });
    const world = new PageGateway(telegram, model, port);
    model.script = ({ body }) => world.#answer(body.messages);
    world.#configure(settings);
    await world.run();
    return world;
  }

  private constructor(
    readonly telegram: TelegramServer,
    readonly model: ModelServer,
    readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the gateway, and waits until it serves the page and Telegram. */
  async run(): Promise<void> {
    const isConnected = this.telegram.until(() => this.telegram.menu.length > 0);
    const gateway = spawn(process.execPath, [MAIN, "gateway"], {
      cwd: this.work,
      env: {
        ...{ PATH: process.env.PATH ?? "", HOME: join(this.home, ".."), BATON_HOME: this.home, TZ: "UTC" },
        ...{ TELEGRAM_BOT_TOKEN: this.telegram.token, BATON_AGENT_API_KEY: "key-of-the-model" },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#gateway = gateway;
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#log += text;
      });
    try {
      await isConnected;
      await vi.waitUntil(() => this.#isServed(), { timeout: 60_000, interval: 50 });
    } catch {
      throw new Error(`The gateway does not serve Telegram and the page.\n${this.#log}`);
    }
  }

  async #isServed(): Promise<boolean> {
    if (this.#gateway?.exitCode !== null) throw new Error(`The gateway ended.\n${this.#log}`);
    return fetch(`${this.url}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async kill(): Promise<void> {
    const gateway = this.#gateway;
    if (!gateway || gateway.exitCode !== null || gateway.signalCode !== null) return;
    gateway.kill("SIGKILL");
    await once(gateway, "close");
  }

  /** The link that `baton web` prints for the owner at this machine. */
  async ownersLink(): Promise<string> {
    const { stdout, stderr, code } = await baton(this.home, ["web", "--no-open", "--json"]);
    if (code !== 0) throw new Error(`baton web: ${stderr}`);
    return (JSON.parse(stdout) as { link: string }).link;
  }

  /** The link that somebody gets on Telegram. */
  async linkFor(person: number, more: SaidMore = {}): Promise<string> {
    const chat = String(person);
    const seen = this.telegram.sentTo(chat).length;
    await this.writes(person, "/web", more);
    const link = (): string | undefined =>
      this.told(person)
        .slice(seen)
        .map((text) => /https?:\/\/\S+#key=[\w-]+/.exec(text)?.[0])
        .find(Boolean);
    await this.telegram.until(() => link() !== undefined);
    return link() ?? "";
  }

  /** Somebody writes on Telegram. */
  async writes(
    person: number,
    text: string,
    { name = NAMES.get(person), fields }: SaidMore = {},
  ): Promise<void> {
    const length = text.split(" ")[0]?.length ?? 0;
    const entities = text.startsWith("/") ? { entities: [{ type: "bot_command", offset: 0, length }] } : {};
    await this.telegram.deliver({
      ...{ chatId: String(person), fromId: person, text, ...entities },
      as: ({ message, ...update }) => {
        const from = { ...(message.from as object), first_name: name };
        return { ...update, message: { ...message, from, ...fields } };
      },
    });
  }

  told(person: number): string[] {
    return this.telegram.sentTo(String(person)).map(({ text }) => text);
  }

  async close(): Promise<void> {
    await this.kill();
    const host = hostWorld(processFolder(this.home));
    await endHost(this.home);
    await host.remove();
    await Promise.all([this.telegram.close(), this.model.close()]);
  }

  #configure(settings: object): void {
    const config = {
      agent: {
        ...{ provider: "openai", baseUrl: this.model.url, model: "model-a" },
        workdir: this.work,
        prices: { "model-a": { input: 3, output: 15 } },
      },
      people: { owners: { telegram: [String(ANN)] }, allow: { telegram: [String(BOB)] } },
      platforms: { telegram: { baseUrl: this.telegram.url } },
      tools: { terminal: { sandbox: "off" } },
      memory: { titles: "words" },
      busy: { default: "queue" },
      web: { enabled: true, port: this.port },
      ...settings,
    };
    writeFileSync(join(this.home, "config.yaml"), JSON.stringify(config), { mode: 0o600 }); // JSON is YAML.
  }

  #answer(messages: readonly AskedMessage[]): Reply {
    const { role, content } = messages.at(-1) ?? { role: "user", content: "" };
    const asked = textOf(messages.findLast((message) => message.role === "user")?.content ?? "");
    const said = asked.split("\n\n").at(-1) ?? "";
    return this.play(said, { role, content: textOf(content) }) ?? { text: `heard: ${said}` };
  }
}

/** With files, the text is one part of several. */
interface AskedMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

function textOf(content: AskedMessage["content"]): string {
  return typeof content === "string" ? content : content.flatMap(({ text }) => text ?? []).join("\n\n");
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .on("error", reject)
      .listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        server.close(() => resolve(port));
      });
  });
}
