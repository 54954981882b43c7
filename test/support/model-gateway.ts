/**
 * A real `baton gateway` with Telegram and a model on loopback, without a sandbox. The model starts in the background what
 * the owner writes as `start {…}`, the arguments of the tool `terminal`; anything else it repeats.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processFolder } from "../../src/process/places.js";
import { makeHome } from "./baton.js";
import { ModelServer, type Script } from "./model-server.js";
import { endHost, hostWorld } from "./process-host.js";
import { TelegramServer } from "./telegram-server.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export const OWNER = 100001;
export const MEMBER = 100002;

const answer: Script = ({ body }) => {
  const { role, content } = body.messages.at(-1) as { role: string; content: string };
  const said = content.split("\n\n").at(-1) ?? "";
  const [, args] = /^start (\{.*\})$/.exec(said) ?? [];
  if (role !== "user" || args === undefined) return { text: `heard: ${said}` };
  return {
    calls: [{ name: "terminal", arguments: JSON.stringify({ background: true, ...JSON.parse(args) }) }],
  };
};

export interface ModelGatewayOptions {
  /** The key of the model, in a file that the configuration names. */
  readonly key?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A descriptor that the gateway inherits. */
  readonly descriptor?: number;
  /** More of the configuration, given the folder in which the agent works. */
  readonly settings?: (work: string) => object;
}

export type ModelGateway = Awaited<ReturnType<typeof openModelGateway>>;

export async function openModelGateway({
  key = "key-of-the-model",
  environment = {},
  descriptor,
  settings = () => ({}),
}: ModelGatewayOptions = {}) {
  const [telegram, model] = await Promise.all([TelegramServer.start(), ModelServer.start(answer)]);
  const home = makeHome();
  const work = join(home, "..", "work");
  const host = hostWorld(processFolder(home));
  const keyFile = join(home, "..", "key");
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  const config = {
    agent: {
      ...{ provider: "openai", baseUrl: model.url, model: "model-a", apiKey: { file: keyFile } },
      workdir: work,
    },
    people: { owners: { telegram: [String(OWNER)] }, allow: { telegram: [String(MEMBER)] } },
    platforms: { telegram: { baseUrl: telegram.url } },
    tools: { terminal: { sandbox: "off" } },
    ...settings(work),
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 }); // JSON is YAML.
  const gateway = spawn(process.execPath, [MAIN, "gateway"], {
    cwd: work,
    env: {
      ...{ PATH: process.env.PATH ?? "", HOME: join(home, ".."), BATON_HOME: home },
      ...{ TELEGRAM_BOT_TOKEN: telegram.token, ...environment },
    },
    // Node.js itself closes only the first few.
    stdio: ["ignore", "ignore", "inherit", ...Array<"ignore">(90).fill("ignore"), descriptor ?? "ignore"],
  });
  const told = (who: number) => telegram.sentTo(String(who)).map(({ text }) => text);
  const write = (who: number, text: string) => telegram.deliver({ chatId: String(who), fromId: who, text });
  await telegram.until(() => telegram.menu.length > 0); // It is connected.
  return {
    pid: gateway.pid ?? 0,
    home,
    work,
    host,
    telegram,
    told,
    write,
    /** Writes, and waits until the chat was told this. */
    ask: async (who: number, text: string, reply = `heard: ${text}`): Promise<void> => {
      await write(who, text);
      await telegram.until(() => told(who).some((one) => one.includes(reply)));
    },
    /** Ends it, and everything that it started. */
    close: async (): Promise<void> => {
      if (gateway.exitCode === null && gateway.kill("SIGKILL")) await once(gateway, "close");
      for (const { pid, end } of await host.client.request("list", {}))
        if (end === null) process.kill(-pid, "SIGKILL");
      await endHost(home);
      await host.remove();
      await Promise.all([telegram.close(), model.close()]);
    },
  };
}
