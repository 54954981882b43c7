/** One spelling for an emoji that platforms send in several: without a skin tone, and without how it should be drawn. */
export function plainEmoji(emoji: string): string {
  return emoji.trim().replace(/[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f]/gu, "");
}
