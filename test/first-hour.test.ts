/**
 * The walk through the first hour is true: what docs/first-hour.md shows with its output runs here in the order of the page, in
 * one home folder, and shows what the page says. The model and Telegram are servers of this machine.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { screenOf } from "../src/process/screen.js";
import { ModelServer, type Reply, type SeenRequest } from "./support/model-server.js";
import { TelegramServer } from "./support/telegram-server.js";
import { killAll, PtyChat, pty } from "./terminal/pty-chat.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const ENTER = "\r";
const COLUMNS = 240;
const ROWS = 60;
const OWNER = 4711;
/** As it is on the page; each run has another one. */
const CODE = "K7QX9M2P";

interface Block {
  readonly kind: string;
  readonly line: number;
  readonly text: string;
}

/** The blocks of the page that something is done in, in order. */
function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(console|chat|telegram)\n([\s\S]*?)^```/gm)].map((match) => ({
    kind: match[1] ?? "",
    line: page.slice(0, match.index).split("\n").length,
    text: match[2] ?? "",
  }));
}

/** Lines that begin with `mark`, each with the lines after it. */
function partsOf(text: string, mark: string): { readonly said: string; readonly shows: string }[] {
  return text
    .split(new RegExp(`^${mark}`, "m"))
    .slice(1)
    .map((part) => {
      const [said = "", ...shows] = part.split("\n");
      return { said, shows: shows.join("\n").trim() };
    });
}

/** `…` stands for anything. Where lines are wrapped does not count. */
function pattern(shows: string): RegExp {
  const words = shows.split(/\s+/).filter(Boolean);
  const escaped = words.map((word) =>
    word
      .split("…")
      .map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      .join("[\\s\\S]*?"),
  );
  return new RegExp(escaped.join("[\\s│]+"));
}

/** The answers to what the commands of the page ask. */
const ANSWERS: Readonly<Record<string, readonly (readonly [question: string, keys: string])[]>> = {
  "baton setup": [
    ["Which model provider do you want to use?", ENTER],
    ["The API key for Anthropic", `sk-ant-first-hour${ENTER}`],
    ["Which model?", ENTER],
    ["Which folder", ENTER],
    ["What is your time zone", ENTER],
  ],
  "baton setup telegram": [
    ["(hidden)", "TOKEN\r"],
    ["Which chat is the home channel", ENTER],
    ["Who may talk to the agent", ENTER],
  ],
};

const TITLE = { text: "Plan a weekend in Lisbon" };
const DELETE = { command: "rm -rf ~/old-photos" };
/** Out of the sandbox, if this machine has one. */
const DELETE_OUTSIDE = { ...DELETE, outside: true };

/** What the model says, by the last words of a person that it got. */
const REPLIES: readonly (readonly [RegExp, Reply])[] = [
  [/tool_result/, { text: "Done: the folder is gone." }],
  [
    /Plan a weekend/,
    { text: "Two days fit well:\n\n1. **Saturday**: Alfama and the castle.\n2. **Sunday**: Belém, by tram." },
  ],
  [/say hello/, { text: "Hello!" }],
  [/sort this list/, { text: "eggs\nmilk" }],
  [/on Sunday/, { text: "Belém, by tram." }],
];

function reply({ body }: SeenRequest): Reply {
  if (JSON.stringify(body.system ?? "").includes("You name conversations")) return TITLE;
  const last = JSON.stringify(body.messages.at(-1));
  if (/old-photos/.test(last) && !/tool_result/.test(last)) {
    const isConfined = JSON.stringify(body.tools).includes('"outside"');
    return {
      calls: [{ name: "terminal", arguments: JSON.stringify(isConfined ? DELETE_OUTSIDE : DELETE) }],
    };
  }
  return REPLIES.find(([words]) => words.test(last))?.[1] ?? TITLE;
}

describe.skipIf(!pty)(
  `the first hour${pty ? "" : " (NOT TESTED: the prebuilt PTY does not load here)"}`,
  () => {
    const page = readFileSync(join(root, "docs/first-hour.md"), "utf8");
    let folder: string;
    let model: ModelServer;
    let telegram: TelegramServer;
    /** What Telegram calls the code of the page. */
    let code = CODE;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "baton-first-hour-"));
      mkdirSync(join(folder, "work"));
      [model, telegram] = await Promise.all([
        ModelServer.start(reply),
        TelegramServer.start({ topics: false }),
      ]);
      model.models = ["claude-sonnet-5-5", "claude-haiku-5"];
      telegram.chats.set(String(OWNER), { full: { id: OWNER, type: "private", first_name: "Ann" } });
      const settings = { platforms: { telegram: { baseUrl: telegram.url } } };
      mkdirSync(join(folder, ".baton"), { mode: 0o700 });
      writeFileSync(join(folder, ".baton", "config.yaml"), JSON.stringify(settings), { mode: 0o600 });
    });
    afterAll(async () => {
      killAll();
      await Promise.all([model.close(), telegram.close()]);
      rmSync(folder, { recursive: true, force: true });
    });

    /** A terminal whose home folder is the usual one. */
    function terminal(line: string): PtyChat {
      const set = `HOME='${folder}' TZ=UTC ANTHROPIC_BASE_URL='http://${model.host}'`;
      return new PtyChat({
        columns: COLUMNS,
        rows: ROWS,
        shell: `cd '${folder}/work'; export ${set}; ${line}`,
      });
    }

    async function console({ text }: Block): Promise<void> {
      for (const { said, shows } of partsOf(text, "\\$ ")) {
        const shell = terminal(said.replace(CODE, code));
        let seen = 0;
        for (const [question, keys] of ANSWERS[said] ?? []) {
          await shell.until(() => shell.raw.includes(question, seen));
          seen = shell.raw.indexOf(question, seen) + question.length;
          shell.type(keys === "TOKEN\r" ? `${telegram.token}${ENTER}` : keys);
        }
        if (said === "baton gateway") {
          await shell.until(() => pattern(shows).test(shell.vt.text()));
        } else {
          expect(await shell.exited, said).toBe(0);
          expect(await screenOf(shell.raw, { cols: COLUMNS, rows: ROWS }), said).toMatch(pattern(shows));
        }
      }
    }

    async function chat({ text }: Block): Promise<void> {
      const open = terminal("baton");
      const [first = ""] = text.split(/^[›[]/m);
      await open.until(() => open.vt.marksPaste && pattern(first).test(open.vt.text()));
      for (const { said, shows } of partsOf(text, "(?=› |\\[)")) {
        const keys = said.startsWith("[") ? said.slice(1, -1) : `${said.slice(2)}${ENTER}`;
        open.type(keys);
        await open.until(() =>
          pattern(shows).test(open.vt.text().slice(Math.max(0, open.vt.text().lastIndexOf(said)))),
        );
      }
      await open.exited;
    }

    async function phone({ text }: Block): Promise<void> {
      for (const { said, shows } of partsOf(text, "You: ")) {
        const before = telegram.sent.length;
        await telegram.deliver({ chatId: String(OWNER), fromId: OWNER, text: said });
        const came = (): string =>
          telegram.sent
            .slice(before)
            .map((each) => each.text)
            .join("\n");
        const isCode = shows.includes(CODE);
        const expected = pattern(shows.replace(/^Baton: /gm, "").replace(CODE, "…"));
        await telegram.until(() => expected.test(came()));
        if (isCode) code = /Your code is (\w+)/.exec(came())?.[1] ?? CODE;
      }
    }

    test("every command of the page shows what the page says", async () => {
      const blocks = blocksOf(page);
      expect(new Set(blocks.map(({ kind }) => kind))).toEqual(new Set(["console", "chat", "telegram"]));
      for (const block of blocks) {
        if (block.kind === "console") await console(block);
        else if (block.kind === "chat") await chat(block);
        else await phone(block);
      }
    }, 300_000);
  },
);
