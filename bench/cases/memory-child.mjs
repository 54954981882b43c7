// Opens the store at argv[2], runs argv[4] turns over its argv[3] sessions, and prints its resident memory in bytes.
import { openSessions } from "../../dist/index.js";

const [path, count, turns] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const sessions = await openSessions({ url: path });
for (let turn = 0; turn < turns; turn++) {
  const number = (turn * 7_919) % count;
  const platform = number % 3 === 0 ? "discord" : "telegram";
  const source = { platform, chatId: `chat${number}`, chatType: "dm", userId: `user${number}` };
  const { entry } = await sessions.receive(source, { role: "user", content: "What was it again?" });
  await sessions.record(entry.sessionId, [{ role: "assistant", content: "This." }], { inputTokens: 9 });
}
process.stdout.write(String(process.memoryUsage.rss()));
await sessions.close();
