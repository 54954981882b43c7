/** The contract of every agent, over both protocols, against a server that plays what the cues ask for. */
import { afterAll, beforeAll } from "vitest";
import { ModelServer, type Reply, type SeenRequest } from "../../../test/support/model-server.js";
import { agentContract } from "../../testing/agent-contract.js";
import { aiSdkAgent } from "./ai-sdk.js";
import type { Endpoint } from "./endpoint.js";

const cues = { plain: "hello", tool: "use the tool", slow: "speak slowly", fail: "fail" };

function reply({ body }: SeenRequest): Reply {
  const last = body.messages.at(-1);
  const text = JSON.stringify(last.content);
  const isResult = last.role === "tool" || text.includes("tool_result");
  if (isResult) return { text: ["The tool ", "was used."] };
  if (text.includes(cues.tool)) {
    return { text: "Let me see.", calls: [{ name: "terminal", arguments: '{"command":"date"}' }] };
  }
  if (text.includes(cues.slow))
    return { text: Array.from({ length: 1_000 }, (_, n) => `${n} `), pauseMs: 20 };
  if (text.includes(cues.fail)) return { status: 401, message: "Incorrect API key provided: sk-canary." };
  return { reasoning: "Hm.", text: ["Hello ", "to ", "you."], usage: { input: 10, output: 3 } };
}

for (const protocol of ["openai", "anthropic"] as const) {
  let server: ModelServer;
  beforeAll(async () => {
    server = await ModelServer.start(reply);
  });
  afterAll(() => server.close());

  const endpoint = (): Endpoint => ({
    protocol,
    baseUrl: server.url,
    apiKey: () => "sk-canary",
    keySetting: "TEST_KEY",
    contextTokens: 128_000,
    model: "model-a",
    images: true,
  });
  agentContract(
    `ai-sdk over ${protocol}`,
    () => aiSdkAgent({ endpoint: endpoint(), maxSteps: 50, prices: {} }),
    cues,
  );
}
