// Makes turns on a PostgreSQL server for a while, several chats at once, and sends how many (postgres.ts): turns of the
// library, or as many statements by the bare driver. The first turns do not count: Node.js compiles the code in them, and
// four processes do that four times.
import pg from "pg";
import { openSessions } from "../../dist/index.js";

const { url, number, chats, seconds, bare } = JSON.parse(process.argv[2]);
const WARM_UP = 5_000;
const QUESTION = "What did we decide about it yesterday?";
const ANSWER = "You decided to keep one file. ".repeat(8);

const sessions = await openSessions({ url });
const places = await Promise.all(Array.from({ length: chats }, (_, chat) => startChat(`${number}.${chat}`)));
if (bare) await sessions.close();
const { turn, close } = bare ? bareTurns() : { turn: ourTurn, close: () => sessions.close() };

await turns((made) => made < WARM_UP);
process.send("ready");
await new Promise((resolve) => process.once("message", resolve));
const until = performance.now() + seconds * 1_000;
process.send(await turns(() => performance.now() < until));
await close();
process.disconnect();

async function turns(goOn) {
  let made = 0;
  await Promise.all(
    places.map(async (place) => {
      for (; goOn(made); made++) await turn(place);
    }),
  );
  return made;
}

async function startChat(chat) {
  const source = { platform: "telegram", chatId: chat, chatType: "dm", userId: chat, userName: "Ann" };
  const { entry } = await sessions.receive(source, { role: "user", content: QUESTION });
  return { source, key: entry.key, sessionId: entry.sessionId };
}

async function ourTurn({ source }) {
  const { entry } = await sessions.receive(source, { role: "user", content: QUESTION });
  await sessions.record(entry.sessionId, [{ role: "assistant", content: ANSWER }]);
}

/** As many statements as `ourTurn` makes, with fewer columns. */
function bareTurns() {
  const pool = new pg.Pool({ connectionString: url, max: 10, options: "-c search_path=baton" });
  const inTransaction = async (work) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await work((name, text, values) => client.query({ name, text, values }));
    await client.query("COMMIT");
    client.release();
  };
  const nextSeq =
    "UPDATE sessions SET updated_at = $1, next_seq = next_seq + 1 WHERE id = $2 RETURNING next_seq";
  const say = "INSERT INTO messages (session_id, seq, role, content, at) VALUES ($1, $2, $3, $4, $5)";
  const turn = async ({ key, sessionId }) => {
    await inTransaction(async (query) => {
      await query("route", "SELECT * FROM routes WHERE key = $1 FOR UPDATE", [key]);
      await query("session", "SELECT * FROM sessions WHERE id = $1 FOR UPDATE", [sessionId]);
      const { rows } = await query("next", nextSeq, [Date.now(), sessionId]);
      await query("say", say, [sessionId, rows[0].next_seq, "user", QUESTION, Date.now()]);
    });
    await inTransaction(async (query) => {
      const { rows } = await query("next", nextSeq, [Date.now(), sessionId]);
      await query("say", say, [sessionId, rows[0].next_seq, "assistant", ANSWER, Date.now()]);
    });
  };
  return { turn, close: () => pool.end() };
}
