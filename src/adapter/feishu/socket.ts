/**
 * One long connection to Feishu, from opening it until it ends. Events come in frames, a large one in several; each is
 * acknowledged by whoever takes it, when it is taken. What is not acknowledged, Feishu sends again: after 15 seconds, 5
 * minutes, an hour and 6 hours. A line that says nothing to a ping is dead.
 */
import { type RawData, WebSocket } from "ws";
import { timerMs } from "../../util/timer-ms.js";
import { ConnectError } from "../adapter.js";
import { reasonOf } from "../http-call.js";
import { proxyWays } from "../proxy.js";
import { Recent } from "../recent.js";
import { jsonOf } from "../untrusted.js";
import type { FeishuEndpoint } from "./api.js";
import { decodeFrame, encodeFrame, type FeishuFrame, headerOf } from "./frame.js";

const LARGEST_EVENT = 4 * 1024 * 1024;
const MOST_PIECES = 64;
/** Of so many events some pieces are here, and others are not yet. */
const MOST_PARTIAL = 100;
const [CONTROL, DATA] = [0, 1];
const [SHORTEST_PING_MS, LONGEST_PING_MS] = [10_000, 300_000];

export interface FeishuEvent {
  readonly body: unknown;
  /** Tells Feishu that it arrived. On a line that was cut nobody hears it, and the event comes again. */
  ack(): void;
}

export interface SocketEvents {
  /** Events come from now on. */
  open(): void;
  event(event: FeishuEvent): void;
}

/** Settles when the end asked for it; fails with a `ConnectError` if the connection ends by itself. */
export function serveSocket(
  { url, service, pingMs }: FeishuEndpoint,
  events: SocketEvents,
  end: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const agent = proxyWays()?.agentFor(url);
    const socket = new WebSocket(url, { maxPayload: LARGEST_EVENT, handshakeTimeout: timeoutMs, agent });
    const pieces = new EventPieces();
    let why = new ConnectError("retryable", "Feishu ended the connection.");
    let isAlive = true;
    const say = (frame: FeishuFrame): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(encodeFrame(frame));
    };
    const ping = (): void =>
      say({ seqId: 0n, logId: 0n, service, method: CONTROL, headers: [["type", "ping"]], payload: NOTHING });
    const everyMs = Math.min(Math.max(pingMs, SHORTEST_PING_MS), LONGEST_PING_MS);
    const beat = setInterval(() => {
      if (!isAlive) {
        why = new ConnectError("retryable", "Feishu said nothing for too long.");
        return socket.terminate();
      }
      isAlive = false;
      ping();
    }, timerMs(everyMs)).unref();
    const leave = (): void => socket.terminate();
    end.addEventListener("abort", leave);
    socket.on("open", () => {
      if (end.aborted) return leave();
      ping();
      events.open();
    });
    socket.on("message", (data) => {
      isAlive = true;
      const frame = decodeFrame(bytesOf(data));
      if (frame?.method !== DATA || end.aborted) return;
      const whole = pieces.add(frame);
      const body = whole && jsonOf(Buffer.from(whole).toString("utf8"));
      if (body === undefined || body === null) return;
      events.event({ body, ack: () => say(acknowledged(frame)) });
    });
    socket.on("error", (error) => {
      why = new ConnectError("retryable", `Feishu cannot be reached: ${reasonOf(error)}.`, { cause: error });
    });
    socket.on("close", () => {
      clearInterval(beat);
      end.removeEventListener("abort", leave);
      if (end.aborted) resolve();
      else reject(why);
    });
    if (end.aborted) leave();
  });
}

const NOTHING = new Uint8Array();
const TAKEN = Buffer.from(JSON.stringify({ code: 200 }));

/** The frame itself, with the answer in it. */
function acknowledged(frame: FeishuFrame): FeishuFrame {
  return { ...frame, headers: [...frame.headers, ["biz_rt", "0"]], payload: TAKEN };
}

/** Puts together events that came in several frames, in any order. */
class EventPieces {
  readonly #partial = new Recent<(Uint8Array | undefined)[]>(MOST_PARTIAL);

  /** The bytes of the event, if all are here now. */
  add(frame: FeishuFrame): Uint8Array | null {
    const [sum, seq] = ["sum", "seq"].map((name) => Number(headerOf(frame, name) ?? Number.NaN));
    if (!isCount(sum, MOST_PIECES) || !isCount(seq, sum - 1)) return frame.payload;
    if (sum < 2) return frame.payload;
    const id = headerOf(frame, "message_id") ?? "";
    const known = this.#partial.get(id);
    const parts = known?.length === sum ? known : new Array<Uint8Array | undefined>(sum).fill(undefined);
    parts[seq] = frame.payload;
    this.#partial.set(id, parts);
    const whole = parts.filter((part) => part !== undefined);
    if (whole.length < sum) return null;
    this.#partial.delete(id);
    const bytes = Buffer.concat(whole);
    return bytes.length > LARGEST_EVENT ? null : bytes;
  }
}

function isCount(value: number | undefined, most: number): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= most;
}

function bytesOf(data: RawData): Uint8Array {
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
}
