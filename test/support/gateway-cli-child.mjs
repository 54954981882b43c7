// `baton gateway` in a process of its own, with a platform in memory that the parent writes to and reads from: people
// write { userId, text, messageId }, and what is sent to them comes back as { chatId, text }.
import { offlineAgent } from "../../dist/agent/offline.js";
import { run } from "../../dist/cli/run.js";
import { Terminal } from "../../dist/cli/terminal.js";
import { readEnvironment } from "../../dist/config/environment.js";
import { loadConfig } from "../../dist/config/load.js";
import { openGateway } from "../../dist/open-gateway.js";
import { ScriptedAdapter } from "../../dist/testing/scripted-adapter.js";

const adapter = new ScriptedAdapter({
  onSend: ({ address, text }) => void process.send({ chatId: address.chatId, text }),
});
process.on("message", ({ userId, text, messageId }) => adapter.write({ userId }, text, { messageId }));

const environment = readEnvironment();
process.exitCode = await run(["gateway"], {
  version: "0",
  terminal: new Terminal(process, false, { hide: (text) => text, redact: (text) => text }),
  redact: (text) => text,
  home: environment.home,
  loadConfig: () => loadConfig(environment, process.cwd()),
  openPlatforms: async () => ({ adapters: [adapter], problems: [] }),
  openGateway: (config, adapters, onProblem) =>
    openGateway({
      url: config.store.reveal(),
      agent: offlineAgent(),
      adapters,
      commands: [],
      people: config.people,
      busy: config.busy,
      onProblem,
    }),
});
process.disconnect?.();
