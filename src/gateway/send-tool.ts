/**
 * The tool `send_message`: sends a text to another chat. The turn's person must already have a conversation there; an
 * owner may use any known chat. The text is added to the transcript of that chat, so people can answer it there.
 */

import type { Adapter } from "../adapter/adapter.js";
import type { Tool } from "../agent/agent.js";
import { BatonError } from "../session/errors.js";
import { deliveryIdOf } from "../session/ids.js";
import { type Address, formatAddress, parseAddress } from "../session/source.js";
import type { SessionsView } from "../session/view.js";
import type { Clock } from "../util/clock.js";
import type { Outbox, Turn } from "./store.js";

const MAX_TEXT = 8_000;

export interface SendSetting {
  readonly turn: Turn;
  readonly view: SessionsView;
  readonly outbox: Outbox;
  readonly adapters: readonly Adapter[];
  readonly holder: string;
  readonly clock: Clock;
  /** A text in pieces that the platform accepts. */
  readonly pieces: (address: Address, text: string) => Promise<readonly string[]>;
}

export function sendTool(setting: SendSetting): Tool {
  return {
    name: "send_message",
    description:
      "Sends a text to another chat where this person has talked with you before. To answer in this chat, just answer.",
    parameters: {
      type: "object",
      properties: {
        to: { type: "string", description: "The address: platform:chat, or platform:chat:thread." },
        text: { type: "string", description: `At most ${MAX_TEXT} characters, Markdown.` },
      },
      required: ["to", "text"],
      additionalProperties: false,
    },
    async run(args, { call }) {
      const { to, text } = (args ?? {}) as Record<string, unknown>;
      if (typeof text !== "string" || text.trim() === "") return "Error: `text` is empty.";
      if (text.length > MAX_TEXT)
        return `Error: \`text\` has ${text.length} characters; send at most ${MAX_TEXT}.`;
      try {
        return await send(setting, parseAddress(typeof to === "string" ? to : ""), text, call.id);
      } catch (error) {
        if (error instanceof BatonError) return `Error: ${error.message}`;
        throw error;
      }
    },
  };
}

async function send(setting: SendSetting, address: Address, text: string, callId: string): Promise<string> {
  const { turn, view, outbox, adapters, holder, clock } = setting;
  const name = formatAddress(address);
  if (name === formatAddress(turn.address)) return "Error: that is this chat. Just answer.";
  const lane = await view.laneAt(address);
  if (!lane) return `Error: there is no chat ${name} that this person may write to. Nothing was sent.`;
  const adapter = adapters.find(({ platform }) => platform === address.platform);
  if (!adapter) return `Error: ${address.platform} is not connected here, so nothing was sent.`;
  const pieces = await setting.pieces(address, text);
  const deliveries = pieces.map((piece, n) => ({
    deliveryId: deliveryIdOf(turn.id, turn.fence, "sent", callId, n),
    account: adapter.account,
    holder,
    address,
    purpose: "reply" as const,
    text: piece,
    sessionId: lane.sessionId,
    shown: false,
  }));
  if (!(await outbox.say(lane.sessionId, text, deliveries, clock())))
    return "Error: this call has already sent its message.";
  return `It is on its way to ${name}.`;
}
