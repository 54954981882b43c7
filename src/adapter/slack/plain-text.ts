/**
 * What a person wrote, as plain text. Slack puts what it recognised into angle brackets (`<@U1>`, `<#C1|general>`,
 * `<https://…|label>`, `<!here>`) and escapes these brackets and `&` everywhere else.
 */
import { takenOut } from "../take-out.js";

const IN_BRACKETS = /<([^<>]*)>/g;

/** Who reads: the bot, as which user, and what it knows people and channels by. */
export interface SlackReader {
  readonly userId: string;
  readonly nameOf: (id: string) => string | undefined;
}

export function plainTextOf(text: string, { userId, nameOf }: SlackReader): string {
  const spoken = takenOut(text, mentionsOf(userId));
  const parts: string[] = [];
  let from = 0;
  for (const found of spoken.matchAll(IN_BRACKETS)) {
    parts.push(unescaped(spoken.slice(from, found.index)), unescaped(recognised(found[1] ?? "", nameOf)));
    from = found.index + found[0].length;
  }
  parts.push(unescaped(spoken.slice(from)));
  return parts.join("").trim();
}

/** Whether the text names this user. */
export function mentions(text: string, selfId: string): boolean {
  return mentionsOf(selfId).test(text);
}

/** Ids are letters and digits. */
function mentionsOf(userId: string): RegExp {
  return new RegExp(`<@${userId}(?:\\|[^<>]*)?>`, "g");
}

function recognised(inside: string, nameOf: SlackReader["nameOf"]): string {
  const bar = inside.indexOf("|");
  const [what, label] = bar < 0 ? [inside, ""] : [inside.slice(0, bar), inside.slice(bar + 1)];
  switch (what[0]) {
    case "@":
      return `@${(label || (nameOf(what.slice(1)) ?? what.slice(1))).replace(/^@/, "")}`;
    case "#":
      return `#${(label || (nameOf(what.slice(1)) ?? what.slice(1))).replace(/^#/, "")}`;
    case "!":
      // Of `<!subteam^S1|@team>` and `<!date^…|today>` the label is what people see; `<!here>` has none.
      return label || `@${what.slice(1)}`;
    default:
      return linkText(what, label);
  }
}

function linkText(url: string, label: string): string {
  const shown = url.replace(/^mailto:/, "");
  return label === "" || label === shown || url.endsWith(`//${label}`) ? shown : `${label} (${url})`;
}

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_, name: string) =>
    name === "lt" ? "<" : name === "gt" ? ">" : "&",
  );
}
