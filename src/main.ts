#!/usr/bin/env node
/**
 * The composition root: it knows every part, and no part knows it. Each part loads when a command first needs it, so
 * that `baton --version` starts nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import "./adapter/platforms.js";
import type { Adapter } from "./adapter/adapter.js";
import type { StoreUse } from "./cli/cli.js";
import type { ChatEvents, QuestionWish } from "./cli/opened-chat.js";
import { type Config, rulesOf, waitsOf } from "./config/config.js";
import { type Environment, homeFolder, readEnvironment } from "./config/environment.js";
import { hideEnvironment } from "./config/hide-environment.js";
import { loadPlatforms } from "./load-platforms.js";
import type { AdaptersOver } from "./open-gateway.js";
import type { OpenMcpOptions } from "./open-mcp.js";
import type { OpenOptions } from "./open-sessions.js";
import { USUAL_COMMAND } from "./util/command-words.js";
import type { Finding } from "./util/finding.js";
import { onOutputEnd } from "./util/output-end.js";
import type { OnProblem } from "./util/problem.js";
import { Redactor } from "./util/redact.js";
import { hearSecrets } from "./util/secret.js";
import { written } from "./util/written.js";

const { version, engines } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string; engines: { node: string } };
const words = process.argv.slice(2);
const MAIN = fileURLToPath(import.meta.url);
const PROCESS_HOST = { host: fileURLToPath(new URL("./process-host.js", import.meta.url)), version };
const PAGE = fileURLToPath(new URL("./web", import.meta.url));
const DOCUMENT_READER = fileURLToPath(new URL("./document-reader.js", import.meta.url));

/** The secrets this process knows; all output goes through it. */
const redactor = new Redactor();

if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  onOutputEnd(process.stdout, process.stderr, (code) => process.exit(code));
  process.stdout.write(`${version}\n`);
} else {
  const code = await runCommand();
  await Promise.all([written(process.stdout), written(process.stderr)]);
  process.exit(code); // At once: without waiting for a connection that a library keeps open.
}

/** As Node.js does, but without secrets: an uncaught error may contain anything. */
function endOnBug(error: unknown): void {
  const { stack } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`${redactor.redact(stack ?? "")}\n`);
  process.exit(1);
}

async function runCommand(): Promise<number> {
  // First: the settings, their variables and the words of the command line follow from the platforms.
  const missing = await loadPlatforms(homeFolder());
  const { run } = await import("./cli/run.js");
  const { Terminal } = await import("./cli/terminal.js");
  const environment = readEnvironment();
  const { passwordsIn, secretValues, secretVariables } = await import("./config/secrets.js");
  const variables = secretVariables(); // Before they are hidden.
  redactor.know(() => variables);
  process.on("uncaughtException", endOnBug);
  hearSecrets((value) => redactor.know(() => [value, ...passwordsIn(value)]));
  hideEnvironment();
  const { commandHere } = await import("./config/command-here.js");
  const command = commandHere(MAIN, environment);
  const { color, isDumb } = environment;
  const terminal = new Terminal(process, color, redactor, { isDumb, command });
  const onProblem: OnProblem = (problem) => terminal.problem(problem);
  for (const problem of missing) onProblem(problem);
  return run(words, {
    terminal,
    version,
    oldestNode: engines.node.replace(/^>=/, ""),
    home: environment.home,
    main: MAIN,
    environment,
    get workingFolder() {
      return process.cwd(); // Fails if it is deleted. Not every command needs it.
    },
    hide: redactor.hide,
    redact: redactor.redact,
    loadConfig: async (purpose) => {
      const config = await (await import("./config/load.js")).loadConfig(environment, process.cwd(), purpose);
      redactor.know(() => secretValues(config));
      if (config.ui.plain) terminal.onlyPrint();
      await (await import("./open-proxy.js")).openProxy(config, environment);
      return config;
    },
    openSessions: async (config, purpose) => (await openMirrored(config, purpose, onProblem)).sessions,
    openPeople: async (config, purpose) =>
      (await import("./open-desks.js")).openPeople(config, await openCleanly(config, purpose)),
    openRetention: async (config, purpose) =>
      (await import("./open-erasure.js")).openRetention(config, openMirrored(config, purpose, onProblem)),
    openErasure: async (config) =>
      (await import("./open-erasure.js")).openErasure(config, {
        ...PROCESS_HOST,
        open: (purpose) => openCleanly(config, purpose, { config: config.sessions }),
        onProblem,
      }),
    platformStates: async (config) =>
      (await import("./open-desks.js")).platformStates(await openCleanly(config, "look")),
    sweepMedia: async (config) =>
      (await import("./open-erasure.js")).sweepMedia(config, await openCleanly(config, "change")),
    streams: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
    openChat: async (config, surface, events) =>
      (await import("./open-chat.js")).openChat(
        surface,
        events,
        (text) => terminal.named(text),
        (adapters) => {
          const { command } = terminal;
          return openGatewayOf(
            environment,
            config,
            { adapters, isUnattended: surface.isScript, command, ...surface.question },
            events,
          );
        },
      ),
    openHandoffs: async (config, purpose) =>
      (await import("./open-desks.js")).openHandoffs(config, await openForWork(config, purpose)),
    openLanes: async (config, purpose) => {
      const opened = await openForWork(config, purpose);
      return (await import("./open-lanes.js")).openLanes(config, opened);
    },
    openJobs: async (config, purpose) =>
      (await import("./open-desks.js")).openJobs(config, await openForWork(config, purpose)),
    openProcesses: (config) => openProcessesOf(config, onProblem),
    chooseModel: async (config) => (await import("./open-agent.js")).modelFor(config, environment),
    fallbackModel: async (config) => (await import("./open-agent.js")).fallbackFor(config, environment),
    tryModel: async (choice) => (await import("./open-agent.js")).tryModel(choice),
    listModels: async (choice) => (await import("./open-agent.js")).modelsAt(choice),
    openPlatforms: async (config) => (await import("./open-platforms.js")).openPlatforms(config),
    linkPlatform: async (...call) => (await import("./open-platforms.js")).linkPlatform(...call),
    openPage: async (config) =>
      (await import("./open-web.js")).openPage(config, {
        ...{ version, page: PAGE, redact: redactor.redact },
        findings: () => setupFindings(config),
        open: (...call) => openServing(environment, config, ...call),
      }),
    openPageLinks: async (config, purpose) =>
      (await import("./open-desks.js")).openPageLinks(await openCleanly(config, purpose)),
    openGateway: (config, ...call) => openServing(environment, config, ...call),
    inspectStore,
    inspectMcp,
    inspectProcesses,
    inspectEnvironments,
    inspectSandbox,
    backups: async (url) => (await import("./open-backups.js")).openBackups(url),
    openWork: async (config, begun) =>
      (await import("./open-work.js")).openWork(openCleanly(config, "change"), begun),
    loadExport: () => import("./store/jsonl/export.js"),
    importSessions: async (...call) => (await import("./store/jsonl/import.js")).importSessions(...call),
  });
}

/** With the mirror, if there is one. */
async function openMirrored(config: Config, purpose: StoreUse, onProblem: OnProblem) {
  const mirrors = config.mirror !== null && purpose !== "look";
  const mirror = mirrors ? { mirror: { folder: config.mirror, onProblem } } : {};
  return openCleanly(config, purpose, { config: config.sessions, ...mirror });
}

/** Every command opens the store here: known secrets go neither in nor out. */
async function openCleanly(config: Config, purpose: StoreUse, options: Omit<OpenOptions, "url"> = {}) {
  const { openStore } = await import("./open-sessions.js");
  const { remember, ...place } = await placeOf(config, purpose);
  const open = await openStore({
    ...options,
    ...place,
    hide: redactor.hide,
    readOnly: purpose === "look",
  });
  remember();
  return open;
}

/** With the settings of sessions. */
function openForWork(config: Config, purpose: StoreUse) {
  return openCleanly(config, purpose, { config: config.sessions });
}

async function openProcessesOf(config: Config, onProblem: OnProblem) {
  const { openProcesses } = await import("./open-processes.js");
  const { store, sessions } = await openCleanly(config, "change");
  const processes = openProcesses(config, { ...PROCESS_HOST, store: store.processes, onProblem });
  const close = async (): Promise<void> => {
    await processes.shut();
    await sessions.close();
  };
  return { processes, close };
}

/**
 * Where the store is, and if it existed before. If there is none yet, `look` and `change` get an empty one in
 * memory. Call `remember` after opening it.
 */
async function placeOf(
  config: Config,
  purpose: StoreUse,
): Promise<Pick<OpenOptions, "url" | "rememberedIn"> & { readonly remember: () => void }> {
  const { sqliteFile } = await import("./open-sessions.js");
  const { isKnownStore, knownStoresFile, rememberStore } = await import("./store/known-stores.js");
  const url = config.store.reveal();
  const file = sqliteFile(url);
  const nothing = () => {};
  if (file === null || file === ":memory:") return { url, remember: nothing };
  if (isKnownStore(config.home, file))
    return { url, rememberedIn: knownStoresFile(config.home), remember: nothing };
  if (purpose === "write") return { url, remember: () => rememberStore(config.home, file) };
  return { url: existsSync(file) ? url : "sqlite::memory:", remember: nothing };
}

/** The gateway of `baton gateway`, which serves platforms. */
function openServing(
  environment: Environment,
  config: Config,
  adapters: readonly Adapter[],
  onProblem: OnProblem,
) {
  return openGatewayOf(
    environment,
    config,
    { adapters: async () => adapters, isUnattended: false, command: USUAL_COMMAND },
    { onProblem, log: onProblem },
  );
}

/** The gateway as the configuration wants it, over these adapters. */
async function openGatewayOf(
  environment: Environment,
  config: Config,
  {
    adapters,
    isUnattended,
    command,
    ...asked
  }: QuestionWish & { adapters: AdaptersOver; isUnattended: boolean; command: string },
  events: ChatEvents & {
    /** For the log, not for the chat. */
    readonly log?: (line: string) => void;
  },
) {
  const { onProblem, log = () => {} } = events;
  const { openGatewayOver } = await import("./open-gateway.js");
  const { openAgent } = await import("./open-agent.js");
  const { homeChannelsOf, jobLimits } = await import("./open-desks.js");
  const { commandTable } = await import("./gateway/commands/table.js");
  const { OWN_TOOLS } = await import("./util/own-tools.js");
  const { makeWorkspace } = await import("./config/workspace.js");
  makeWorkspace(config.agent.workdir);
  const { agent, model } = await openAgent(config, environment, redactor.hide, command);
  /** Loaded with the first turn. */
  const ownTools = async () => (await import("./open-tools.js")).openTools(config);
  let tools: ReturnType<typeof ownTools> | undefined;
  const mcp = await mcpServers(config, {
    reserved: OWN_TOOLS,
    log,
    onProblem,
    isScript: isUnattended,
  });
  const { openProcesses } = await import("./open-processes.js");
  const { retentionOf } = await import("./open-erasure.js");
  const { remember, ...place } = await placeOf(config, "write");
  const open = await openGatewayOver(adapters, {
    ...place,
    redactor,
    config: config.sessions,
    ...(config.mirror === null ? {} : { mirror: { folder: config.mirror, onProblem } }),
    agent,
    commands: commandTable({
      agent: agent.name,
      clock: Date.now,
      ...(model ? { model } : {}),
      ...(mcp ? { mcp: () => mcp.states() } : {}),
    }),
    tools: async () => {
      tools ??= ownTools();
      return [...(await tools), ...((await mcp?.tools()) ?? [])];
    },
    toolLists: config.tools,
    // What is not saved has nothing that goes on when it is gone.
    ...(asked.isUnsaved
      ? {}
      : {
          processes: (store) => ({
            processes: openProcesses(config, { ...PROCESS_HOST, store, onProblem }),
            limits: config.processes,
          }),
          jobs: {
            ...jobLimits(config),
            outputFolder: config.outputDir,
            // A script that asks one question would leave the run of a job behind.
            runsHere: !isUnattended,
            mostRunning: config.jobs.maxRunning,
          },
        }),
    ...(config.memory.enabled ? { memory: { ...config.memory, learns: !asked.isUnsaved } } : {}),
    summariseAt: config.memory.summariseAt,
    titles: asked.isUnsaved ? "none" : config.memory.titles,
    ...rulesOf(config),
    ...retentionOf(config, isUnattended, log),
    ...(asked.model === undefined ? {} : { model: asked.model }),
    instructions: await (await import("./open-instructions.js")).openInstructions(config, asked.system),
    workdir: config.agent.workdir,
    homeChannels: homeChannelsOf(config),
    groups: { ...config.groups, answersAll: ({ platform }) => config.platforms[platform]?.answer === "all" },
    files: await (await import("./open-files.js")).openFiles(config, DOCUMENT_READER),
    maxMessages: config.agent.maxMessages,
    maxSends: config.agent.maxSends,
    progress: config.delivery.progress,
    ...waitsOf(config),
    ...events,
  });
  remember();
  mcp?.start();
  const close: typeof open.close = (options) => open.close(options).finally(() => mcp?.close());
  return { ...open, agent: agent.name, close };
}

/** Null if none is configured; then nothing is loaded. */
async function mcpServers(
  config: Config,
  { isScript, ...options }: Omit<OpenMcpOptions, "version" | "installMs"> & { isScript: boolean },
) {
  if (Object.keys(config.mcp.servers).length === 0) return null;
  const { openMcp, INSTALL_MS } = await import("./open-mcp.js");
  return openMcp(config, { ...options, ...(isScript ? { installMs: INSTALL_MS } : {}), version });
}

async function inspectMcp(config: Config): Promise<Finding[]> {
  if (Object.keys(config.mcp.servers).length === 0) return [];
  return (await import("./open-mcp.js")).mcpFindings(config, version);
}

async function inspectProcesses(config: Config): Promise<Finding[]> {
  return (await import("./open-processes.js")).processFindings(config, version);
}

async function inspectEnvironments(config: Config): Promise<Finding[]> {
  return (await import("./open-tools.js")).environmentFindings(config);
}

async function inspectSandbox(config: Config): Promise<Finding[]> {
  return (await import("./open-tools.js")).sandboxFindings(config);
}

/** For a gateway that runs: it has the store open, so that is not looked at from outside, and is not read as a whole. */
async function setupFindings(config: Config): Promise<Finding[]> {
  const found = [inspectSandbox(config), inspectEnvironments(config), inspectProcesses(config)];
  return (await Promise.all(found)).flat();
}

async function inspectStore(config: Config) {
  const { sqliteFile } = await import("./open-sessions.js");
  const { inspectPostgres, inspectSqlite } = await import("./store/inspect.js");
  const { url, rememberedIn } = await placeOf(config, "write");
  const file = sqliteFile(url);
  return file === null
    ? inspectPostgres(url)
    : inspectSqlite(file, { ...(rememberedIn ? { rememberedIn } : {}) });
}
