/**
 * The tools that send: `send_message` sends a text or files to another chat, `send_file` sends files to this one. The
 * turn's person must already have a conversation in the other chat; an owner may use any known chat. What is sent there
 * is added to the transcript of that chat, so people can answer it. Who may not use `send_file` sends no files at all.
 */

import type { Adapter, Capabilities } from "../adapter/adapter.js";
import type { Danger, Tool, ToolContext } from "../agent/agent.js";
import { type Arguments, answering, Refused } from "../agent/tools/refused.js";
import { tellingText } from "../session/attachments.js";
import { BatonError } from "../session/errors.js";
import { deliveryIdOf } from "../session/ids.js";
import type { Platform } from "../session/platform.js";
import { type Address, formatAddress, parseAddress } from "../session/source.js";
import type { Attachment } from "../session/transcript.js";
import type { SessionsView } from "../session/view.js";
import type { Clock } from "../util/clock.js";
import { platformTitle } from "./describe.js";
import { copyFiles, type FilesOut, lettersOf } from "./files-out.js";
import { limitsOf } from "./limits-of.js";
import type { Served } from "./served.js";
import type { Outbox, Turn } from "./store.js";
import type { Surfaces } from "./surfaces.js";

const MAX_TEXT = 8_000;
const MAX_FILES = 10;
const LONGEST_PATH = 4_096;

export interface SendSetting {
  readonly turn: Turn;
  /** The account through which the turn is answered. */
  readonly account: string;
  readonly view: SessionsView;
  readonly outbox: Outbox;
  readonly adapters: readonly Adapter[];
  /** Finds the account that serves a platform, here or in another process, and the process that sends through it. */
  readonly reach: {
    readonly served: Pick<Served, "accountOn">;
    readonly surfaces: Pick<Surfaces, "senderOf">;
  };
  readonly clock: Clock;
  /** A text in pieces that the platform accepts. */
  readonly pieces: (address: Address, text: string) => Promise<readonly string[]>;
  /** Null if no files can be sent. */
  readonly files: FilesOut | null;
  /** The tool `send_file` as the turn has it; undefined if its person may not use it. */
  readonly sendFile: () => Tool | undefined;
}

const PATHS = { type: "array", items: { type: "string" }, maxItems: MAX_FILES };

export function sendTool(setting: SendSetting): Tool {
  const { files } = setting;
  return {
    name: "send_message",
    description:
      "Sends a text to another chat where this person has talked with you before. To answer in this chat, just answer.",
    parameters: {
      type: "object",
      properties: {
        to: { type: "string", description: "The address: platform:chat, or platform:chat:thread." },
        text: { type: "string", description: `At most ${MAX_TEXT} characters, Markdown.` },
        ...(files
          ? { files: { ...PATHS, description: "Paths of files to send with it, as for `send_file`." } }
          : {}),
      },
      required: ["to", ...(files ? [] : ["text"])],
      additionalProperties: false,
    },
    ...(files ? { danger: (args: unknown) => dangerOfFiles(setting, args) } : {}),
    run: answering((args, context) => inWords(() => sendElsewhere(setting, args, context))),
  };
}

/** Files are asked about as `send_file` would. */
async function dangerOfFiles(setting: SendSetting, args: unknown): Promise<Danger | null> {
  const { files: paths, to } = (args ?? {}) as Record<string, unknown>;
  if (!Array.isArray(paths) || paths.length === 0) return null;
  const danger = (await setting.sendFile()?.danger?.({ paths })) ?? null;
  return danger && { ...danger, what: `${danger.what}\nto: ${JSON.stringify(to)}` };
}

async function sendElsewhere(setting: SendSetting, args: Arguments, context: ToolContext): Promise<string> {
  const paths = args.texts("files", MAX_FILES, LONGEST_PATH);
  const text = args.optionalText("text", Number.POSITIVE_INFINITY) ?? "";
  if (text.trim() === "" && paths.length === 0) throw new Refused("`text` is empty.");
  if (text.length > MAX_TEXT)
    throw new Refused(`\`text\` has ${text.length} characters; send at most ${MAX_TEXT}.`);
  if (paths.length > 0 && !setting.sendFile())
    throw new Refused("you can't send files for this person. Nothing was sent.");
  const address = parseAddress(args.optionalText("to", 1_000) ?? "");
  const name = formatAddress(address);
  if (name === formatAddress(setting.turn.address)) {
    const how = paths.length > 0 ? "Use send_file." : "Just answer.";
    throw new Refused(`that is this chat. ${how}`);
  }
  const lane = await setting.view.laneAt(address);
  if (!lane) throw new Refused(`there is no chat ${name} that this person may write to. Nothing was sent.`);
  const served = await setting.reach.served.accountOn(address.platform);
  if (!served)
    throw new Refused(
      `${platformTitle(address.platform)} is not connected now: no gateway is serving it. Nothing was sent.`,
    );
  const { sessionId } = lane;
  const limits = limitsOf(setting.adapters, address.platform);
  const target = { account: served.account, limits, address, sessionId, isHere: false };
  const sent = await send(setting, target, text, paths, context);
  return `${sent.length > 0 ? `${namesOf(sent)}: on the` : "It is on its"} way to ${name}.`;
}

const FILE_DESCRIPTION =
  "Sends files to this chat: pictures are shown as pictures, other files can be downloaded. " +
  "Say what belongs to them in `caption`: the text of your answer comes after them.";

export function sendFileTool(setting: SendSetting & { readonly files: FilesOut }): Tool {
  return {
    name: "send_file",
    description: FILE_DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          description: "Path of the file, relative to the working folder or absolute.",
        },
        paths: { ...PATHS, description: `Instead of \`path\`: up to ${MAX_FILES} files, sent together.` },
        caption: { type: "string", description: `At most ${MAX_TEXT} characters, Markdown.` },
      },
      additionalProperties: false,
    },
    async danger(args) {
      const { path, paths } = (args ?? {}) as Record<string, unknown>;
      const named = [path, paths].flat().filter((each): each is string => typeof each === "string");
      return (await setting.files.outgoing()).danger(named.slice(0, MAX_FILES), args);
    },
    run: answering((args, context) => inWords(() => sendHere(setting, args, context))),
  };
}

async function sendHere(setting: SendSetting, args: Arguments, context: ToolContext): Promise<string> {
  const path = args.optionalText("path", LONGEST_PATH);
  const paths = [...(path === undefined ? [] : [path]), ...args.texts("paths", MAX_FILES, LONGEST_PATH)];
  if (paths.length === 0) throw new Refused("`path` is missing. Give the path of a file.");
  if (paths.length > MAX_FILES) throw new Refused(`send at most ${MAX_FILES} files at once.`);
  const { turn, account, adapters } = setting;
  const { address, sessionId } = turn;
  const adapter = adapters.find((each) => each.platform === address.platform && each.account === account);
  if (!adapter) throw new Refused("nobody here is connected to this chat, so nothing was sent.");
  const text = args.optionalText("caption", MAX_TEXT) ?? "";
  const target = { account, limits: adapter.capabilities, address, sessionId, isHere: true };
  const sent = await send(setting, target, text, paths, context);
  return `${namesOf(sent)}: on the way.`;
}

interface SendTarget {
  readonly account: string;
  readonly limits: Capabilities;
  readonly address: Address;
  readonly sessionId: Turn["sessionId"];
  /** True for the chat that the turn answers: its transcript has the call of the tool. */
  readonly isHere: boolean;
}

/** All of it is in the outbox, or none. */
async function send(
  setting: SendSetting,
  { account, limits, address, sessionId, isHere }: SendTarget,
  text: string,
  paths: readonly string[],
  context: ToolContext,
): Promise<readonly Attachment[]> {
  const { turn, outbox, clock } = setting;
  const { platform } = address;
  const holder = setting.reach.surfaces.senderOf({ platform, account });
  const files = paths.length > 0 ? await filesFor(setting.files, platform, limits, paths, context) : [];
  const pieces = text.trim() === "" ? [] : await setting.pieces(address, text);
  const deliveries = lettersOf(text.trim() === "" ? "" : text, pieces, files, limits).map((letter, n) => ({
    ...letter,
    deliveryId: deliveryIdOf(turn.id, turn.fence, "sent", context.call.id, n),
    account,
    holder,
    address,
    purpose: "reply" as const,
    sessionId,
    ...(isHere ? { turnId: turn.id } : {}), // So that /stop drops it.
    shown: false,
  }));
  if (await outbox.say(sessionId, isHere ? null : tellingText(text, files), deliveries, clock()))
    return files;
  await setting.files?.media.forget(files);
  throw new Refused("this call has already sent its message.");
}

function filesFor(
  files: FilesOut | null,
  platform: Platform,
  { maxFile }: Capabilities,
  paths: readonly string[],
  context: ToolContext,
): Promise<readonly Attachment[]> {
  if (!files || maxFile === undefined)
    throw new Refused(`files can't be sent by ${platformTitle(platform)}. Nothing was sent.`);
  return copyFiles(files, paths, maxFile, context);
}

function namesOf(files: readonly Attachment[]): string {
  return files.map(({ name, file }) => name ?? file).join(", ");
}

async function inWords<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof BatonError) throw new Refused(error.message);
    throw error;
  }
}
