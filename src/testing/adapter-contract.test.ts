import { PassThrough } from "node:stream";
import { ScriptAdapter } from "../adapter/terminal/script.js";
import { addressOf, localSource } from "../session/source.js";
import { printableText } from "../util/text.js";
import { type AdapterFixture, adapterContract } from "./adapter-contract.js";
import { ScriptedAdapter } from "./scripted-adapter.js";

async function scripted(edits: boolean): Promise<AdapterFixture> {
  const adapter = new ScriptedAdapter({ edits });
  let last = { text: "", messageId: "" };
  const deliver = async () => adapter.write({ userId: "ann" }, last.text, { messageId: last.messageId });
  let written = 0;
  return {
    adapter,
    address: { platform: adapter.platform, chatId: "ann" },
    write: async ({ text }) => {
      written += 1;
      last = { text, messageId: `m${written}` };
      await deliver();
      return last;
    },
    redeliver: deliver,
    shown: () => [...adapter.shown.values()],
  };
}

async function script(json: boolean): Promise<AdapterFixture> {
  const outputs = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof outputs) =>
    new PassThrough({ encoding: "utf8" }).on("data", (piece: string) => {
      outputs[name] += piece;
    });
  const adapter = new ScriptAdapter({ stdout: stream("stdout"), stderr: stream("stderr"), json });
  const lines = (output: string) => output.split("\n").slice(0, -1);
  return {
    adapter,
    address: addressOf(localSource()),
    write: async ({ text }) => {
      const told = adapter.ask(text);
      adapter.finish("done"); // Nobody answers here; what is asked is over when it was received.
      await told;
      return { messageId: "" };
    },
    shown: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (!json) return lines(outputs.stderr);
      const events = lines(outputs.stdout).map((line): { kind: string; text: string } => JSON.parse(line));
      return events.flatMap(({ kind, text }) => (kind === "notice" ? [text] : []));
    },
    ...(json ? {} : { asShown: printableText }),
  };
}

adapterContract("scripted", () => scripted(false));
adapterContract("scripted, with edits", () => scripted(true));
adapterContract("script", () => script(false));
adapterContract("script, as JSON", () => script(true));
