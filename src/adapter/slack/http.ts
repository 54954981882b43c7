/**
 * Slack's posts in place of a socket: events as JSON, slash commands and pressed buttons as forms, all to one address and
 * all signed. A post is answered once its message was received; otherwise Slack hears "500", and posts an event again.
 */
import { ConnectError } from "../adapter.js";
import { field, jsonOf, wordsIn } from "../untrusted.js";
import {
  headerIn,
  isSame,
  LOOPBACK,
  serveWebhook,
  signatureOf,
  type WebhookAnswer,
  type WebhookOptions,
} from "../webhook.js";
import type { SlackSettings } from "./config.js";
import type { Envelope } from "./socket.js";

const PORT = 8_647;
export const PATH = "/slack";
/** How old a post may be, and how far ahead Slack's clock. */
const LONGEST_AGE_MS = 5 * 60_000;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;
const TIMESTAMP = /^\d{1,12}$/;
const LONGEST_CHALLENGE = 500;

interface HttpHearing {
  /** Settles when it was taken, and acknowledged if that is so; fails if it has to come again. */
  readonly onEnvelope: (envelope: Envelope) => Promise<void>;
  readonly onListening: (port: number) => void;
  readonly problem: (sentence: string) => void;
  readonly end: AbortSignal;
}

export async function serveHttp(
  { signingSecret = () => "", webhook = {}, now = Date.now }: SlackSettings,
  { onEnvelope, onListening, problem, end }: HttpHearing,
): Promise<void> {
  if (signingSecret() === "")
    throw new ConnectError("permanent", "Slack's posts cannot be checked: set SLACK_SIGNING_SECRET.");
  const { host = LOOPBACK, port = PORT, path = PATH } = webhook;
  const options = {
    ...{ host, port, path, end, portVariable: "SLACK_WEBHOOK_PORT" },
    proof: signedBy(signingSecret, now),
    onPost: async (body: Buffer, headers: Parameters<typeof headerIn>[0]) => {
      const isForm = headerIn(headers, "content-type").startsWith("application/x-www-form-urlencoded");
      const post = isForm ? formIn(body.toString("utf8")) : jsonIn(jsonOf(body.toString("utf8")));
      if (post?.kind === "challenge") return json({ challenge: post.challenge });
      if (post?.kind === "too many") problem("Slack sends no more events for now: there were too many.");
      return post?.kind === "envelope" ? taken(post, onEnvelope) : undefined;
    },
  };
  await serveWebhook(options, async (listening) => onListening(listening));
}

/** Over the bytes as they came, and the time at which Slack sent them: an old post cannot be sent again later. */
export function signedBy(signingSecret: () => string, now: () => number): WebhookOptions["proof"] {
  return (headers) => {
    const signature = headerIn(headers, "x-slack-signature");
    const sentAt = headerIn(headers, "x-slack-request-timestamp");
    if (!SIGNATURE.test(signature) || !TIMESTAMP.test(sentAt)) return null;
    if (Math.abs(now() - Number(sentAt) * 1_000) > LONGEST_AGE_MS) return null;
    return (body) =>
      isSame(signature.slice("v0=".length), signatureOf(signingSecret(), `v0:${sentAt}:`, body));
  };
}

type SlackPost =
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "too many" }
  | ({ readonly kind: "envelope" } & Pick<Envelope, "type" | "body">);

/** Null for what asks for nothing. */
function jsonIn(body: unknown): SlackPost | null {
  const type = wordsIn(body, "type");
  if (type === "event_callback") return { kind: "envelope", type: "events_api", body };
  if (type === "app_rate_limited") return { kind: "too many" };
  if (type !== "url_verification") return null;
  return { kind: "challenge", challenge: wordsIn(body, "challenge").slice(0, LONGEST_CHALLENGE) };
}

/** A slash command, or a pressed button as JSON in a form. */
function formIn(text: string): SlackPost | null {
  const body: unknown = Object.fromEntries(new URLSearchParams(text));
  const payload = field(body, "payload");
  if (typeof payload === "string") return { kind: "envelope", type: "interactive", body: jsonOf(payload) };
  return wordsIn(body, "command") === "" ? null : { kind: "envelope", type: "slash_commands", body };
}

/** What Slack shows to whoever gave a command; fails if nobody acknowledged it. */
async function taken(
  { type, body }: Pick<Envelope, "type" | "body">,
  onEnvelope: HttpHearing["onEnvelope"],
): Promise<WebhookAnswer | undefined> {
  let isTaken = false;
  let said: { readonly text: string } | undefined;
  await onEnvelope({
    type,
    body,
    ack: async (answer) => {
      isTaken = true;
      said = answer;
    },
  });
  if (!isTaken) throw new Error("nobody is there to keep it");
  return said && json({ response_type: "ephemeral", text: said.text });
}

function json(body: object): WebhookAnswer {
  return { type: "application/json", body: JSON.stringify(body) };
}
