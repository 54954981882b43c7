/** `/handoff` moves the conversation to another chat. */
import { LOCAL } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { addressOf, formatAddress } from "../../session/source.js";
import { cleanLine } from "../../util/text.js";
import { type HandoffDesk, mayMove, targetWords } from "../handoff/desk.js";
import { surfaceOf } from "../place-words.js";
import type { Place } from "../places.js";
import type { Command, CommandCall, CommandReply, CommandWord, CompletionCall } from "./commands.js";

export const handoff: Command = {
  name: "handoff",
  ofSession: true,
  usage: "[where] [--now]",
  description: "move this conversation to another chat; with no arguments, list where it can go",
  details:
    "`where` is a platform (its home channel), the name of a home channel, `platform:chat`, `platform:chat:thread`, or " +
    `\`${LOCAL}\` for the terminal. ` +
    "A running answer finishes here first; `--now` stops it. To cancel before the move begins, send `/handoff cancel`. " +
    "To bring the conversation back later, send `/resume`.",
  completes: placeWords,
  asksAgent: true, // To confirm it in the new place.
  async run(call) {
    const words = call.words.split(/\s+/).filter((word) => word !== "");
    const where = words.filter((word) => word !== "--now").join(" ");
    if (where === "") return list(call);
    if (where.toLowerCase() === "cancel") return cancel(call);
    return ask(call, where, words.includes("--now"));
  },
};

/** The reply is stored together with the request, so nothing about its outcome is sent before it. */
async function ask(call: CommandCall, where: string, now: boolean): Promise<string> {
  const { item, gateway, who } = call;
  const place = await gateway.handoffs.placeNamed(where, who);
  const isOffer = place.address.platform === LOCAL;
  const isAwaited = !now && (await gateway.isAnswering(item.key));
  const said = isOffer ? offeredText(place) : movingText(place, where, isAwaited);
  await gateway.touch(item.key, who, async ({ sessions, handoffs }) => {
    const entry = await sessions.getOrCreate(item.source, { touch: false });
    const asked = await handoffs.ask(entry, place, { who, asker: gateway.askerOf(item), said });
    if (now && !isOffer) await gateway.stopTurn(item.key, who);
    await gateway.follow(asked);
  });
  return "";
}

function offeredText({ name }: Place): string {
  return `Offered to ${name}. To take it, run \`baton\` there and send /resume. To cancel, send /handoff cancel.`;
}

function movingText(place: Place, where: string, isRunning: boolean): string {
  const to = placeTitle(place);
  if (!isRunning) return `Moving to ${to} …`;
  return `It moves to ${to} when the current answer is done. To move now, send /stop; next time, \`/handoff ${cleanLine(where)} --now\` does both.`;
}

/** Adds the platform, because the name of a home channel does not show it. */
export function placeTitle({ word, address, name }: Place): string {
  const isShown = word !== address.platform || word === LOCAL;
  return cleanLine(isShown ? name : `${surfaceOf(address)}, ${name}`);
}

async function cancel({ item, gateway, sessions, who }: CommandCall): Promise<string> {
  const entry = await sessions.current(item.key);
  const move = entry && (await gateway.handoffs.active(entry.sessionId));
  if (!move || !mayMove(who, entry)) return "Nothing is being handed off here.";
  await gateway.mustTouch(who, move.asker?.source ?? null);
  await gateway.touch(item.key, who, ({ handoffs }) => handoffs.cancel(move, { tell: false }));
  return `Cancelled the handoff to ${targetWords(move.target)}.`;
}

async function list({ item, gateway, sessions, who }: CommandCall): Promise<CommandReply> {
  const { handoffs } = gateway;
  const entry = await sessions.current(item.key);
  const here = formatAddress(addressOf(item.source));
  const places = (await gateway.handoffs.places.all(who)).filter(
    ({ address }) => formatAddress(address) !== here,
  );
  const active = entry && (await underway(handoffs, entry));
  const lines = places.map(({ word, name }) => `- \`/handoff ${cleanLine(word)}\`: ${cleanLine(name)}`);
  const none =
    "There is nowhere to move it yet: you have no chat on a connected platform. To connect the platforms that are set up, run `baton gateway`.";
  const text = [
    ...(active ? [active, ""] : []),
    ...(lines.length === 0 ? [none] : ["This conversation can go to:", ...lines]),
  ].join("\n");
  return { text, choices: places.map(({ word, name }) => ({ label: name, command: `/handoff ${word}` })) };
}

async function underway(
  handoffs: Pick<HandoffDesk, "active">,
  { sessionId }: SessionEntry,
): Promise<string | null> {
  const move = await handoffs.active(sessionId);
  return move && `It is being handed off to ${targetWords(move.target)} (${move.state}).`;
}

async function placeWords({ places }: CompletionCall): Promise<CommandWord[]> {
  const found = (await places()).map(({ word, name }) => ({ text: word, description: name, ends: true }));
  return [...found, { text: "cancel", description: "call off the move that was asked for", ends: true }];
}
