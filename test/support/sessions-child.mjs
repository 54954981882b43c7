// A process that does to a store what its parent says, over IPC: open it, call methods of `Sessions`, and a few things
// that only a process of its own can do. See sessions-process.ts.
import { rmSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { openSessions } from "../../dist/index.js";

process.on("SIGXFSZ", () => {}); // A file that may not grow is an error to handle, not the end.
process.on("disconnect", () => process.exit(0));

let sessions;
let ticks = 0;
const clockwork = setInterval(() => {
  ticks += 1;
}, 10);
clockwork.unref();

const commands = {
  open: async (url) => {
    sessions = await openSessions({ url });
  },
  close: () => sessions.close(),
  call: (method, ...args) => sessions[method](...args),
  /** The same call so many times at once. */
  atOnce: (times, method, ...args) =>
    Promise.all(Array.from({ length: times }, () => sessions[method](...args))),
  /** Turns over these chats, one after another; returns each message's session, seq and text. */
  turns: async (count, name, chats) => {
    const written = [];
    for (let turn = 0; turn < count; turn++) {
      const chatId = chats[turn % chats.length];
      const content = `${name}q${turn}`;
      const source = { platform: "telegram", chatId, chatType: "dm", userId: chatId };
      const { entry, seq } = await sessions.receive(source, { role: "user", content });
      written.push({ sessionId: entry.sessionId, seq, content });
      const answer = `${name}a${turn}`;
      const at = await sessions.record(entry.sessionId, [{ role: "assistant", content: answer }], {
        inputTokens: 1,
      });
      written.push({ sessionId: entry.sessionId, seq: at, content: answer });
    }
    return written;
  },
  /** How often a 10 ms timer has fired: does the event loop live? */
  ticks: () => ticks,
  remove: (path) => rmSync(path),
  /** Takes SQLite's write lock with a connection of its own and keeps it for so long. */
  holdLock: (path, ms) => {
    const database = new DatabaseSync(path);
    database.exec("BEGIN IMMEDIATE");
    setTimeout(() => {
      database.exec("COMMIT");
      database.close();
    }, ms);
  },
};

process.on("message", async ({ id, command, args }) => {
  try {
    process.send({ id, result: (await commands[command](...args)) ?? null });
  } catch (error) {
    const { name, code, message } = error;
    process.send({ id, error: { name, code, message } });
  }
});
