// Makes turns on a PostgreSQL server for a while, several chats at once, and sends how many (postgres.ts).
import { openSessions } from "../../dist/index.js";

const { url, number, chats, seconds } = JSON.parse(process.argv[2]);
const sessions = await openSessions({ url });
const sourceOf = (chat) => ({
  platform: "telegram",
  chatId: chat,
  chatType: "dm",
  userId: chat,
  userName: "Ann",
});
const places = Array.from({ length: chats }, (_, chat) => sourceOf(`${number}.${chat}`));

async function turn(source) {
  const { entry } = await sessions.receive(source, {
    role: "user",
    content: "What did we decide about it yesterday?",
  });
  await sessions.record(entry.sessionId, [
    { role: "assistant", content: "You decided to keep one file. ".repeat(8) },
  ]);
}

await Promise.all(places.map(turn));
process.send("ready");
await new Promise((resolve) => process.once("message", resolve));

let turns = 0;
const until = performance.now() + seconds * 1_000;
await Promise.all(
  places.map(async (source) => {
    for (; performance.now() < until; turns++) await turn(source);
  }),
);
process.send(turns);
await sessions.close();
process.disconnect();
