/**
 * What a person wrote, as plain text. Slack puts what it recognised into angle brackets (`<@U1>`, `<#C1|general>`,
 * `<https://…|label>`, `<!here>`) and escapes these brackets and `&` everywhere else.
 */
import { takenOut } from "../take-out.js";

const IN_BRACKETS = /<([^<>]*)>/g;

export function plainTextOf(text: string, selfId: string): string {
  const spoken = takenOut(text, mentionsOf(selfId));
  const parts: string[] = [];
  let from = 0;
  for (const found of spoken.matchAll(IN_BRACKETS)) {
    parts.push(unescaped(spoken.slice(from, found.index)), unescaped(recognised(found[1] ?? "")));
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

function recognised(inside: string): string {
  const bar = inside.indexOf("|");
  const [what, label] = bar < 0 ? [inside, ""] : [inside.slice(0, bar), inside.slice(bar + 1)];
  switch (what[0]) {
    case "@":
      return `@${(label || what.slice(1)).replace(/^@/, "")}`;
    case "#":
      return `#${(label || what.slice(1)).replace(/^#/, "")}`;
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
