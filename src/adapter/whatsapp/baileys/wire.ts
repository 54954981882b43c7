/** One connection to WhatsApp Web, from its beginning to its end. */
import { makeWASocket, type WAMessage, type WASocket } from "baileys";
import { proxyWays } from "../../proxy.js";
import type { BaileysSettings } from "./config.js";
import type { Credentials } from "./credentials.js";
import { SILENT } from "./quiet.js";

const TIMEOUT_MS = 30_000;

export interface Wire {
  readonly socket: WASocket;
  /** Settles when WhatsApp has let us in. */
  readonly opened: Promise<void>;
  /** Settles when it is over, with the reason. */
  readonly closed: Promise<unknown>;
  close(): void;
}

export interface WireEvents {
  /** `isLate`: they were written while nobody was connected. */
  readonly messages: (messages: readonly WAMessage[], isLate: boolean) => void;
  /** WhatsApp waits for somebody to link this machine; again with every new content of the QR code. */
  readonly unlinked?: (socket: WASocket, qr: string) => void;
  /** The account has taken this machine as its device. */
  readonly linked?: () => void;
}

export function timeoutOf({ timeoutMs = TIMEOUT_MS }: BaileysSettings): number {
  return timeoutMs;
}

export function openWire(
  settings: BaileysSettings,
  credentials: Credentials,
  { messages, unlinked, linked }: WireEvents,
  isKept = true,
): Wire {
  const timeoutMs = timeoutOf(settings);
  const { creds, keys } = credentials;
  const url = settings.baseUrl?.replace(/^http/, "ws");
  const agent = proxyWays()?.agentFor(url ?? "wss://web.whatsapp.com");
  const socket = makeWASocket({
    ...(url === undefined ? {} : { waWebSocketUrl: url }),
    // Files go up by `node:https`, to hosts of WhatsApp's choice.
    ...(agent && { agent, fetchAgent: agent }),
    auth: { creds, keys },
    logger: SILENT,
    connectTimeoutMs: timeoutMs,
    defaultQueryTimeoutMs: timeoutMs,
    // The phone goes on to ring.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    emitOwnEvents: false,
  });
  let close = (_reason: unknown): void => {};
  const closed = new Promise<unknown>((resolve) => {
    close = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    socket.ev.on("connection.update", ({ connection, lastDisconnect, qr, isNewLogin }) => {
      if (qr !== undefined) unlinked?.(socket, qr);
      if (isNewLogin) linked?.();
      if (connection === "open") resolve();
      if (connection === "close") close(lastDisconnect?.error);
    });
  });
  socket.ev.on("creds.update", () => {
    if (!isKept) return;
    // What cannot be kept must not be gone on with.
    credentials.save().catch((error: Error) => void socket.end(error));
  });
  socket.ev.on("messages.upsert", ({ messages: all, type }) => messages(all, type === "append"));
  return {
    socket,
    opened,
    closed,
    close: () => {
      close(undefined);
      // As if WhatsApp had hung up: then every question that is open ends too, and keeps no process alive.
      socket.ws.emit("close");
    },
  };
}
