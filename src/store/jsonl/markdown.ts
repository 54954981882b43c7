/** A transcript for people to read. What others wrote stays inside its own message: fences are longer than any inside. */
import { attachmentsOf, untoldLines } from "../../session/attachments.js";
import { isPlatform, platformTraits } from "../../session/platform.js";
import type { SessionEntry } from "../../session/session.js";
import { describeSource } from "../../session/source.js";
import type { StoredMessage } from "../../session/transcript.js";
import { cleanLine, printableText, shorten } from "../../util/text.js";
import { timeText } from "./fields.js";

export function markdownHead(entry: SessionEntry): string {
  const { platform } = entry;
  const place = isPlatform(platform) ? platformTraits(platform).title : platform;
  const facts = [
    ["Source", `${label(place)} (${label(describeSource(entry.origin))})`],
    ["Session", `\`${entry.sessionId}\``],
    ["Started", moment(entry.createdAt)],
    ["Last activity", moment(entry.updatedAt)],
    ...(entry.endedAt === null ? [] : [["Ended", `${moment(entry.endedAt)} (${entry.endReason})`]]),
    ["Messages", String(entry.messageCount)],
    ["Tokens", String(entry.totalTokens)],
  ];
  const lines = facts.map(([name, value]) => `- **${name}:** ${value}`);
  return `# ${label(entry.title ?? entry.displayName)}\n\n${lines.join("\n")}\n`;
}

export function markdownMessage(message: StoredMessage): string {
  const name = message.role === "user" || message.role === "tool" ? message.name : undefined;
  const role = `${message.role[0]?.toUpperCase()}${message.role.slice(1)}`;
  const heading = `## ${role}${name ? ` (${label(name)})` : ""} · ${moment(message.at)}`;
  const parts = [heading];
  if (message.role === "tool") parts.push(fenced(message.content, ""));
  else if (message.content.trim() !== "") parts.push(contained(printableText(message.content)));
  for (const line of untoldLines(message.content, attachmentsOf(message))) {
    parts.push(`[${label(line.slice(1, -1))}]`);
  }
  for (const call of (message.role === "assistant" && message.toolCalls) || []) {
    parts.push(`Calls **${label(call.name)}**:`, fenced(call.arguments, "json"));
  }
  return `\n${parts.join("\n\n")}\n`;
}

function moment(time: number): string {
  const text = timeText(time);
  return typeof text === "string" ? text.replace("T", " ").replace(/\.\d+Z$/, " UTC") : String(text);
}

/** One line whose characters have no meaning in markdown. */
function label(text: string): string {
  return shorten(cleanLine(text), 200).replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

function fenced(text: string, language: string): string {
  const inside = printableText(text);
  const longest = Math.max(2, ...(inside.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${inside.replace(/\n$/, "")}\n${fence}`;
}

/** A message's own headings go below the message's; a fence it leaves open would swallow the messages after it. */
function contained(text: string): string {
  let open: string | null = null;
  const lines = text.split("\n").map((line) => {
    const [opening = "", mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const rest = line.slice(opening.length);
    if (open === null) {
      if (mark && !(mark.startsWith("`") && rest.includes("`"))) open = mark;
      return line.replace(/^( {0,3})(#{1,4})(?=\s|$)/, "$1##$2");
    }
    if (mark?.startsWith(open) && rest.trim() === "") open = null;
    return line;
  });
  return [...lines, ...(open === null ? [] : [open])].join("\n");
}
