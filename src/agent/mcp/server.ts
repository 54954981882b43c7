/**
 * The life of one server: connects in the background, and connects again after a loss, with growing pauses. What holds:
 * its tools exist only while it is ready, every call gets a result whatever the server does, and closing leaves nothing
 * behind.
 */
import type { Clock } from "../../util/clock.js";
import { isFields } from "../../util/json.js";
import type { OnProblem } from "../../util/problem.js";
import { timerMs } from "../../util/timer-ms.js";
import { counted } from "../../util/words.js";
import type { Tool } from "../agent.js";
import type { McpConnection, Reach } from "./connection.js";
import { LastWords } from "./last-words.js";
import type { ToolDefinition } from "./tool-list.js";
import { toolName } from "./tool-name.js";

/** A value that is read when it is needed, and never shown. */
interface HiddenValue {
  reveal(): string;
}

export interface ServerOptions {
  /** Letters, digits and hyphens. */
  readonly name: string;
  readonly reach: ReachOptions;
  readonly timeoutMs: number;
  /** How long the first turn waits for it. */
  readonly patienceMs?: number;
  /** The names of the tools to use, as the server calls them; null for all. */
  readonly tools: readonly string[] | null;
}

/** What a connection needs, with secrets still hidden. */
type ReachOptions =
  | (Omit<Extract<Reach, { kind: "process" }>, "env"> & { readonly env: Values })
  | (Omit<Extract<Reach, { kind: "http" }>, "headers"> & { readonly headers: Values });

type Values = Readonly<Record<string, string | HiddenValue>>;

export interface McpSurroundings {
  readonly version: string;
  /** Names of other tools. */
  readonly reserved: ReadonlySet<string>;
  readonly clock: Clock;
  /** How long to wait before the next try, after this many failures in a row. */
  readonly retryMs: (failures: number) => number;
  /** For the log only: nobody needs to act on it. */
  readonly log: (line: string) => void;
  /** Called if a server can no longer be used. */
  readonly onProblem: OnProblem;
}

export type McpState = { readonly server: string } & (
  | { readonly kind: "connecting" }
  /** `missing`: tools that the settings name and it does not have, in quotation marks. */
  | { readonly kind: "ready"; readonly tools: number; readonly missing: readonly string[] }
  /** `reason` continues a sentence about the server. */
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly nextTryAt: number;
      /** The last lines of its error output. */
      readonly said: readonly string[];
    }
);

/** A server that was ready for this long starts again with the shortest pause. */
const STEADY_MS = 60_000;
const RELIST_MS = 250;
/** Shorter values are not secret, and would match too much text. */
const SHORTEST_SECRET = 6;

export class McpServer {
  readonly #options: ServerOptions;
  readonly #around: McpSurroundings;
  readonly #closed = new AbortController();
  #state: McpState;
  #connection: McpConnection | null = null;
  /** Why the last connection was lost, while there is no new one. */
  #lostBecause: string | null = null;
  #tools: readonly Tool[] = [];
  #secrets: readonly string[] = [];
  #lastWords = new LastWords();
  /** True if somebody was told that its tools are missing. */
  #isMissed = false;
  /** The missing tools that were already reported. */
  #toldMissing = "";
  #failures = 0;
  #readySince = 0;
  #timer: NodeJS.Timeout | undefined;
  #relisting: NodeJS.Timeout | undefined;
  #attempt: Promise<void> = Promise.resolve();
  #endings = new Set<Promise<void>>();

  constructor(options: ServerOptions, around: McpSurroundings) {
    this.#options = options;
    this.#around = around;
    this.#state = { server: options.name, kind: "connecting" };
  }

  get state(): McpState {
    return this.#state;
  }

  /** The tools that it has now. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** How long the first turn waits for it; undefined for the usual time. */
  get patienceMs(): number | undefined {
    return this.#options.patienceMs;
  }

  /** Says that a turn waits for it, and how long at most. */
  tellWaiting(): void {
    const { name, patienceMs = 0 } = this.#options;
    const most = counted(Math.ceil(patienceMs / 60_000), "minute");
    this.#around.onProblem(
      `Waiting for MCP server ${name}, up to ${most}: it is still starting, perhaps installing itself.`,
    );
  }

  /** Says once that a turn goes on without its tools, if it is still starting. */
  tellIfMissing(): void {
    if (this.#state.kind !== "connecting" || this.#isMissed || this.#failures > 0) return;
    this.#isMissed = true;
    this.#around.onProblem(
      `MCP server ${this.#options.name} is not ready: its tools are missing. It is still starting, perhaps installing itself; its tools come when it is ready.`,
    );
  }

  /** Starts to connect; settles when that succeeded or failed. Does not reject. */
  start(): Promise<void> {
    this.#attempt = this.#connect();
    return this.#attempt;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#relisting);
    await this.#attempt;
    if (this.#connection) await this.#connection.close();
    this.#connection = null;
    this.#tools = [];
    await Promise.all(this.#endings);
  }

  async #connect(): Promise<void> {
    const { name } = this.#options;
    const { version, clock, log } = this.#around;
    if (this.#closed.signal.aborted) return;
    this.#state = { server: name, kind: "connecting" };
    this.#lostBecause = null;
    // Loaded only here, so that people who use no MCP server do not wait for the library.
    const [{ McpConnection }, { reasonOf }] = await Promise.all([
      import("./connection.js"),
      import("./failure.js"),
    ]);
    let connection: McpConnection | null = null;
    const lastWords = new LastWords();
    this.#lastWords = lastWords;
    try {
      connection = await McpConnection.open({
        reach: this.#revealed(),
        version,
        clock,
        onLine: (line) => log(`MCP server ${name}: ${this.#hide(line)}`),
        onStderr: (text) => lastWords.add(text),
        onToolsChanged: () => this.#listAgainSoon(),
        onLost: (reason) => this.#lost(reason),
        signal: this.#closed.signal,
      });
      this.#connection = connection;
      await this.#list(connection);
      if (this.#lostBecause !== null && this.#state.kind === "connecting") this.#fail(this.#lostBecause);
    } catch (error) {
      this.#connection = null;
      if (connection) await connection.close();
      this.#fail(this.#lostBecause ?? reasonOf(error));
    }
  }

  /** Throws if the server does not answer; does nothing if it was lost meanwhile. */
  async #list(connection: McpConnection): Promise<void> {
    const { toolsListed } = await import("./tool-list.js");
    const listed = await connection.tools(this.#closed.signal);
    const { tools, missing, problems } = toolsListed(listed, this.#options.tools);
    if (this.#connection !== connection) return;
    const { name } = this.#options;
    for (const problem of problems) this.#around.log(`MCP server ${name} ${problem}.`);
    this.#tools = tools.map((tool) => this.#toolOf(tool));
    if (this.#state.kind !== "ready") this.#readySince = this.#around.clock();
    this.#state = { server: name, kind: "ready", tools: tools.length, missing };
    const sentence = `MCP server ${name} is ready: ${counted(tools.length, "tool")}.`;
    if (this.#isMissed) this.#around.onProblem(sentence);
    else this.#around.log(sentence);
    this.#isMissed = false;
    this.#tellIfWithout(missing.join(", "));
  }

  /** A connection that comes back says nothing new. */
  #tellIfWithout(missing: string): void {
    if (missing !== "" && missing !== this.#toldMissing)
      this.#around.onProblem(
        `MCP server ${this.#options.name} has no tool ${missing}: correct its \`tools\` in config.yaml.`,
      );
    this.#toldMissing = missing;
  }

  /** However often the server says so, its tools are listed at most a few times a second. */
  #listAgainSoon(): void {
    if (!this.#connection) return;
    this.#relisting ??= setTimeout(async () => {
      this.#relisting = undefined;
      if (!this.#connection) return;
      const { name } = this.#options;
      await this.#list(this.#connection).catch(() =>
        this.#around.log(
          `MCP server ${name} said that its tools changed, but did not list them; Baton keeps the old list.`,
        ),
      );
    }, RELIST_MS);
  }

  #toolOf({ name, description, parameters }: ToolDefinition): Tool {
    return {
      name: toolName(this.#options.name, name, this.#around.reserved),
      description,
      parameters,
      run: (args, { signal }) => this.#call(name, args, signal),
    };
  }

  /** Uses the current connection: a tool outlives the connection that listed it. */
  async #call(tool: string, args: unknown, signal: AbortSignal): Promise<string> {
    const { name, timeoutMs } = this.#options;
    if (signal.aborted) return "Not run: the turn was stopped.";
    if (!isFields(args)) return "Error: the arguments must be an object.";
    if (this.#state.kind !== "ready" || !this.#connection) {
      const why = this.#state.kind === "failed" ? `: ${this.#state.reason}` : "";
      return `Error: the MCP server ${name} is not connected now${why}. The tool was not run.`;
    }
    const { resultText } = await import("./result-text.js");
    try {
      const result = await this.#connection.call(tool, args, { signal, timeoutMs });
      return resultText(result, (text) => this.#hide(text));
    } catch (error) {
      const { failedCall } = await import("./failure.js");
      return this.#hide(failedCall(error, name, timeoutMs, signal.aborted));
    }
  }

  #lost(reason: string): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#lostBecause = reason;
    if (connection) this.#awaitEnd(connection.close());
    if (this.#state.kind !== "ready") return; // The code that connects sees the failure.
    if (this.#around.clock() - this.#readySince >= STEADY_MS) this.#failures = 0;
    this.#fail(reason);
  }

  #fail(why: string): void {
    this.#tools = [];
    clearTimeout(this.#relisting);
    this.#relisting = undefined;
    if (this.#closed.signal.aborted) return;
    const { name } = this.#options;
    const { clock, retryMs, log, onProblem } = this.#around;
    const reason = this.#hide(why);
    this.#failures += 1;
    const waitMs = retryMs(this.#failures);
    const said = this.#lastWords.lines((text) => this.#hide(text));
    this.#state = { server: name, kind: "failed", reason, nextTryAt: clock() + waitMs, said };
    const words = said.length === 0 ? "" : ` It printed:\n${said.map((line) => `  ${line}`).join("\n")}`;
    const sentence = `Can't use the MCP server ${name}: ${reason}.${words}`;
    if (this.#failures === 1) onProblem(sentence);
    else log(sentence);
    this.#timer = setTimeout(() => void this.start(), timerMs(waitMs));
    this.#timer.unref();
  }

  #awaitEnd(ending: Promise<void>): void {
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
  }

  /** Secrets are read for each connection, so that a changed one counts from the next try. */
  #revealed(): Reach {
    const { reach } = this.#options;
    const secrets: string[] = [];
    const read = (values: Values) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => {
          if (typeof value === "string") return [name, value];
          const secret = value.reveal();
          // Also the part after `Bearer`, which a server may repeat alone.
          const parts = [secret, ...secret.split(/\s+/)];
          secrets.push(...parts.filter((part) => part.length >= SHORTEST_SECRET));
          return [name, secret];
        }),
      );
    const revealed: Reach =
      reach.kind === "http" ? { ...reach, headers: read(reach.headers) } : { ...reach, env: read(reach.env) };
    this.#secrets = secrets;
    return revealed;
  }

  #hide(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
  }
}
