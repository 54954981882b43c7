// Writes to a store until it is killed. Before each call it says on stdout what it is about to do, and after the call
// has returned it says so: what was said to be done must be there after the kill, and the last thing begun may be.
// The calls are described in journal.ts.
import { writeSync } from "node:fs";
import { setImmediate as nextTick } from "node:timers/promises";
import { buildSessionKey, openSessions } from "../../dist/index.js";
import { randomFrom } from "../support/random.mjs";

const [path, name, run, seed] = [process.argv[2], process.argv[3], process.argv[4], Number(process.argv[5])];
const CHATS = 3;

const random = randomFrom(seed);
let words = 0;
const word = () => `${name}r${run}n${++words}`;
const text = () => `${word()} ${"and so on ".repeat(Math.floor(random() * 40))}`;

/** writeSync: once it returns the line is in the pipe, which outlives us. */
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

async function call(begun, work) {
  say({ begun });
  const result = await work();
  say({ done: result ?? {} });
}

const sessions = await openSessions({ url: path });
for (;;) {
  const chat = `${name}c${Math.floor(random() * CHATS)}`;
  const source = { platform: "telegram", chatId: chat, chatType: "dm", userId: chat };
  const key = buildSessionKey(source);
  let sessionId = "";

  const asked = { role: "user", content: text() };
  await call({ call: "receive", key, messages: [asked] }, async () => {
    sessionId = (await sessions.receive(source, asked)).entry.sessionId;
    return { sessionId };
  });

  const id = word();
  const answers = [
    {
      role: "assistant",
      content: text(),
      toolCalls: [{ id, name: "look", arguments: "{}" }],
    },
    { role: "tool", toolCallId: id, content: text() },
    { role: "assistant", content: text() },
  ].slice(random() < 0.5 ? 2 : 0);
  const tokens = Math.floor(random() * 100);
  await call({ call: "record", sessionId, messages: answers, tokens }, async () => {
    await sessions.record(sessionId, answers, { inputTokens: tokens });
  });

  switch (Math.floor(random() * 8)) {
    case 0: {
      const added = { role: "system", content: text() };
      await call({ call: "record", sessionId, messages: [added], tokens: 0 }, async () => {
        await sessions.append(sessionId, added);
      });
      break;
    }
    case 1: {
      const active = await sessions.load(sessionId);
      const kept = active
        .slice(0, Math.floor(random() * active.length))
        .map(({ seq, at, ...message }) => message);
      const messages = [...kept, { role: "user", content: text() }];
      await call({ call: "rewrite", sessionId, messages }, () => sessions.rewrite(sessionId, messages));
      break;
    }
    case 2:
      await call({ call: "reset", key }, async () => ({ sessionId: (await sessions.reset(key)).sessionId }));
      break;
    case 3: {
      const title = word();
      await call({ call: "title", sessionId, title }, async () => {
        await sessions.setTitle(sessionId, title);
      });
      break;
    }
    case 4:
      await call({ call: "index" }, () => sessions.indexAll());
      break;
  }
  await nextTick(); // Lets the search index be fed behind, as it is between the messages of real people.
}
