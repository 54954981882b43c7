/**
 * What a person wrote, as people see it. Discord writes mentions, custom emoji, times and commands as ids in angle brackets
 * (`<@1>`, `<#2>`, `<@&3>`, `<:wave:4>`, `<t:1767900000:R>`, `</new:5>`).
 */
import type { Fields } from "../../util/json.js";
import { listIn, textIn } from "../untrusted.js";

/** What a channel or a role is called, if it is known. */
export type DiscordNames = (kind: "channel" | "role", id: string) => string | undefined;

const IN_BRACKETS = /<(@!?|@&|#|a?:\w{1,64}:|\/[^<>:]{1,110}:|t:)(-?\d{1,20})(?::[a-zA-Z])?>/g;

/** `message` names the people and perhaps the channels that its text mentions. */
export function plainTextOf(content: string, message: Fields, nameOf: DiscordNames): string {
  const people = byId(listIn(message, "mentions"), personName);
  const channels = byId(listIn(message, "mention_channels"), (channel) => textIn(channel, "name"));
  return content.replace(IN_BRACKETS, (whole, mark: string, id: string) => {
    if (mark === "t:") return timeOf(Number(id)) ?? whole;
    if (mark.endsWith(":")) return mark.startsWith("/") ? mark.slice(0, -1) : mark.replace(/^a/, "");
    if (mark === "#") return named("#", nameOf("channel", id) ?? channels.get(id)) ?? whole;
    return named("@", mark === "@&" ? nameOf("role", id) : people.get(id)) ?? whole;
  });
}

/** Undefined for whom nobody knows. */
function named(mark: string, name: string | undefined): string | undefined {
  return name && `${mark}${name}`;
}

function byId(list: readonly unknown[], nameOf: (each: unknown) => string | undefined) {
  return new Map(list.flatMap((each) => [[textIn(each, "id"), nameOf(each)] as const]));
}

/** As people call them: in the server, everywhere, or by their account. */
export function personName(user: unknown): string | undefined {
  return textIn(user, "member", "nick") ?? textIn(user, "global_name") ?? textIn(user, "username");
}

/** 2026-01-10 12:00 UTC */
function timeOf(seconds: number): string | undefined {
  const time = new Date(seconds * 1_000);
  if (Number.isNaN(time.getTime())) return undefined;
  return `${time.toISOString().replace("T", " ").slice(0, -8)} UTC`;
}
