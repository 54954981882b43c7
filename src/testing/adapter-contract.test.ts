/** The contract itself, on an adapter that can do everything, on one that can do little, and on the script. */
import { Writable } from "node:stream";
import { ScriptAdapter } from "../adapter/terminal/script.js";
import { addressOf, localSource } from "../session/source.js";
import { printableText } from "../util/text.js";
import type { AdapterFixture } from "./adapter/fixture.js";
import { adapterContract } from "./adapter-contract.js";
import { scriptedFixture } from "./scripted-fixture.js";

async function script(json: boolean): Promise<AdapterFixture> {
  const written = { stdout: [] as string[], stderr: [] as string[] };
  const stream = (name: keyof typeof written) =>
    new Writable({
      write: (piece, _encoding, done) => {
        written[name].push(String(piece));
        done();
      },
    });
  const adapter = new ScriptAdapter({ stdout: stream("stdout"), stderr: stream("stderr"), json });
  return {
    adapter,
    address: addressOf(localSource()),
    lacks: {
      replies: "Nobody answers a message of a script.",
      names: "A script has no names.",
      "missed messages": "What is asked is asked now.",
    },
    write: async ({ text }) => {
      const told = adapter.ask(text, "message");
      adapter.finish("done"); // Nobody answers here; what is asked is over when it was received.
      await told;
      return { messageId: "" };
    },
    shown: () => {
      const pieces = (json ? written.stdout : written.stderr).map((piece) => piece.replace(/\n$/, ""));
      if (!json) return pieces.filter(Boolean);
      const events = pieces.filter(Boolean).map((line): { kind: string; text: string } => JSON.parse(line));
      return events.flatMap(({ kind, text }) => (kind === "notice" ? [text] : []));
    },
    ...(json ? {} : { asShown: printableText }),
  };
}

adapterContract("scripted", () => scriptedFixture());
adapterContract("scripted, with everything", () =>
  scriptedFixture({
    can: [
      ...(["edit", "remove", "drafts", "status", "find", "idempotent"] as const),
      ...(["typing", "marks", "threads once", "files", "buttons"] as const),
    ],
  }),
);
adapterContract("script", () => script(false));
adapterContract("script, as JSON", () => script(true));
