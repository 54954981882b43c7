// Measures how long the first word of a model takes (model.ts): through the gateway, from the message that comes in to
// the word that is shown, and by a bare request, one after the other. Prints both in milliseconds as JSON.
import { aiSdkAgent } from "../../dist/agent/ai-sdk/ai-sdk.js";
import { openGateway } from "../../dist/open-gateway.js";
import { ScriptedAdapter } from "../../dist/testing/scripted-adapter.js";

const { url, baseUrl, times } = JSON.parse(process.argv[2]);

let shown = () => {};
const adapter = new ScriptedAdapter();
adapter.live = () => ({
  text: () => shown(),
  reasoning() {},
  toolCall() {},
  toolResult() {},
  end: () => ended(),
});
let ended = () => {};

const agent = aiSdkAgent({
  endpoint: { protocol: "openai", baseUrl, apiKey: null, keySetting: "", model: "m", images: false },
  maxSteps: 50,
  prices: {},
});
const { gateway, close } = await openGateway({
  url,
  agent,
  adapters: [adapter],
  commands: [],
  people: { allow: { [adapter.platform]: ["ann"] } },
  maxMessages: 20,
  onProblem: (problem) => console.error(problem),
});
await gateway.start();

async function ours() {
  const began = performance.now();
  const first = new Promise((resolve) => {
    shown = () => resolve(performance.now() - began);
  });
  const over = new Promise((resolve) => {
    ended = resolve;
  });
  await adapter.write({ userId: "ann" }, "hi");
  const ms = await first;
  await over;
  return ms;
}

async function bare() {
  const began = performance.now();
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] }),
  });
  let ms;
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("Hello")) ms ??= performance.now() - began;
  }
  return ms;
}

const samples = { ours: [], bare: [] };
for (let n = 0; n < times + 20; n++) {
  const [one, two] = [await ours(), await bare()];
  if (n < 20) continue; // Warming up.
  samples.ours.push(one);
  samples.bare.push(two);
}
await close();
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
console.log(JSON.stringify({ ours: median(samples.ours), bare: median(samples.bare) }));
