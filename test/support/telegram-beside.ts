/** A gateway in this process that has Telegram, beside a `baton` that is another one on the same home. */
import { join } from "node:path";
import { offlineAgent } from "../../src/agent/offline.js";
import { commandTable } from "../../src/gateway/commands/table.js";
import { type OpenGateway, openGateway } from "../../src/open-gateway.js";
import type { ScriptedAdapter } from "../../src/testing/scripted-adapter.js";

export async function telegramBeside(home: string, there: ScriptedAdapter): Promise<OpenGateway> {
  const agent = offlineAgent();
  const open = await openGateway({
    url: join(home, "baton.db"),
    agent,
    adapters: [there],
    commands: commandTable({ agent: agent.name, clock: Date.now }),
    people: { owners: { telegram: ["ann"] } },
  });
  await open.gateway.start();
  return open;
}
