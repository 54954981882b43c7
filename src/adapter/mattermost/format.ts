/** Mattermost reads Markdown itself, so a text is sent as it is; only words that would wake a whole channel are defused. */

/** Nobody sees it. */
const APART = "\u200b";

export function formatText(markdown: string): string {
  return markdown.replace(/@(?=(?:all|channel|here)\b)/gi, `@${APART}`);
}
