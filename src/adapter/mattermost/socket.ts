/** One WebSocket connection to Mattermost, from signing in until it ends. A line that says nothing to a ping is dead. */
import { type RawData, WebSocket } from "ws";
import { withoutSlashes } from "../../util/text.js";
import { timerMs } from "../../util/timer-ms.js";
import { ConnectError } from "../adapter.js";
import { reasonOf } from "../http-call.js";
import { proxyWays } from "../proxy.js";
import { field, jsonOf } from "../untrusted.js";
import type { MattermostSettings } from "./config.js";

const LARGEST_EVENT = 4 * 1024 * 1024;
const PING_MS = 30_000;
const USUAL_TIMEOUT_MS = 30_000;

export interface Events {
  /** Signed in: events come from now on. */
  hello(): void;
  event(event: unknown): void;
}

/** Settles when the end asked for it; fails with a `ConnectError` if the connection ends by itself. */
export function serveSocket(settings: MattermostSettings, events: Events, end: AbortSignal): Promise<void> {
  const { url, token, timeoutMs = USUAL_TIMEOUT_MS } = settings;
  const address = `${withoutSlashes(url).replace(/^http/i, "ws")}/api/v4/websocket`;
  return new Promise((resolve, reject) => {
    const agent = proxyWays()?.agentFor(address);
    const socket = new WebSocket(address, { maxPayload: LARGEST_EVENT, handshakeTimeout: timeoutMs, agent });
    let why = new ConnectError("retryable", "Mattermost ended the connection.");
    let isAlive = true;
    const late = setTimeout(() => {
      why = new ConnectError("retryable", "Mattermost did not confirm the sign-in.");
      socket.terminate();
    }, timerMs(timeoutMs)).unref();
    const ping = setInterval(() => {
      if (!isAlive || socket.readyState !== WebSocket.OPEN) return socket.terminate();
      isAlive = false;
      socket.ping();
    }, PING_MS).unref();
    const leave = (): void => socket.terminate();
    end.addEventListener("abort", leave);
    socket.on("open", () => {
      if (end.aborted) return leave();
      socket.send(JSON.stringify({ seq: 1, action: "authentication_challenge", data: { token: token() } }));
    });
    socket.on("pong", () => {
      isAlive = true;
    });
    socket.on("message", (data) => {
      isAlive = true;
      const message = jsonOf(textIn(data));
      if (field(message, "status") === "FAIL" && field(message, "seq_reply") === 1) {
        why = new ConnectError("permanent", "Mattermost does not accept MATTERMOST_BOT_TOKEN.");
        return socket.terminate();
      }
      if (field(message, "event") === "hello") {
        clearTimeout(late);
        events.hello();
      } else if (!end.aborted) events.event(message);
    });
    socket.on("error", (error) => {
      why = new ConnectError("retryable", `Mattermost cannot be reached: ${reasonOf(error)}.`, {
        cause: error,
      });
    });
    socket.on("close", () => {
      clearTimeout(late);
      clearInterval(ping);
      end.removeEventListener("abort", leave);
      if (end.aborted) resolve();
      else reject(why);
    });
    if (end.aborted) leave();
  });
}

function textIn(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString("utf8");
}
