// The journey of one message from Telegram to its reply, in one checkout: which folder of src/ each call is in, in order.
//   node scripts/journey.mjs [checkout]
// A gateway with the offline agent runs from the sources, against a Bot API that this script plays. The second message
// counts, because the first one also loads modules. Helpers (util, log, config) are left out: every folder uses them.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const HELPERS = ["util", "log", "config"];
const RUNS = 5;
const checkout = resolve(process.argv[2] ?? ".");
const probe = new URL("journey-probe.mjs", import.meta.url).href;

/** The files of one journey, in the order in which their functions are called. */
async function journey() {
  const home = mkdtempSync(join(tmpdir(), "baton-journey-"));
  writeFileSync(join(home, "config.yaml"), "people: { allow: { telegram: [7] } }\n", { mode: 0o600 });
  const updates = [];
  let told = () => {};
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const answer = (result) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ ok: true, result }));
      };
      const method = new URL(request.url, "http://x").pathname.split("/").at(-1);
      if (method === "getMe") return answer({ id: 1, is_bot: true, first_name: "B", username: "b" });
      if (method === "getUpdates") {
        const { offset = 0 } = JSON.parse(body || "{}");
        const waiting = updates.filter(({ update_id }) => update_id >= offset);
        return waiting.length > 0 ? answer(waiting) : setTimeout(answer, 50, []);
      }
      if (method !== "sendMessage") return answer(true);
      told();
      return answer({ message_id: 100, date: 1, chat: { id: 7, type: "private" }, text: "" });
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const child = spawn(process.execPath, ["--import", "tsx", "--import", probe, "src/main.ts", "gateway"], {
    cwd: checkout,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      PATH: process.env.PATH,
      BATON_HOME: home,
      TELEGRAM_BOT_TOKEN: `1:${"a".repeat(35)}`,
      BATON_PLATFORMS_TELEGRAM_BASE_URL: `http://127.0.0.1:${server.address().port}`,
      BATON_AGENT_PROVIDER: "offline",
    },
  });
  const say = async (number) => {
    const sent = new Promise((resolve) => {
      told = resolve;
    });
    child.send("begin");
    const from = { id: 7, is_bot: false, first_name: "P" };
    const message = { message_id: number, date: 1, chat: { id: 7, type: "private" }, from, text: "hello" };
    updates.push({ update_id: number, message });
    await sent;
    const files = new Promise((resolve) => child.once("message", resolve));
    child.send("end");
    return files;
  };
  try {
    await say(1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return await say(2);
  } finally {
    child.kill("SIGKILL");
    server.close();
    server.closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  }
}

function switchesOf(files) {
  const folders = files
    .map((file) => (file.includes("/") ? file.split("/")[0] : "src"))
    .filter((folder) => !HELPERS.includes(folder));
  const order = folders.filter((folder, index) => folder !== folders[index - 1]);
  return { switches: order.length - 1, returns: order.length - new Set(order).size, order };
}

const runs = [];
for (let run = 0; run < RUNS; run += 1) {
  const files = await journey();
  const counted = switchesOf(files);
  console.log(
    `${counted.switches} switches between folders, of them ${counted.returns} returns (${files.length} calls)`,
  );
  runs.push(counted);
}
runs.sort((a, b) => a.switches - b.switches);
const { switches, returns, order } = runs[Math.floor(RUNS / 2)];
console.log(`\nmedian: ${switches} switches, of them ${returns} returns\n${order.join(" → ")}`);
