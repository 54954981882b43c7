/** Feishu's reactions have names of its own. Those that mean what an emoji means are that emoji; others stay names. */

const EMOJI: Readonly<Record<string, string>> = {
  THUMBSUP: "👍",
  ThumbsDown: "👎",
  OK: "👌",
  Yes: "✅",
  No: "❌",
  DONE: "✅",
  CheckMark: "✅",
  CrossMark: "❌",
  HEART: "❤",
  HEARTBROKEN: "💔",
  SMILE: "😄",
  LAUGH: "😆",
  LOL: "😂",
  THINKING: "🤔",
  CRY: "😢",
  SOB: "😭",
  ANGRY: "😠",
  WOW: "😮",
  CLAP: "👏",
  APPLAUSE: "👏",
  MUSCLE: "💪",
  THANKS: "🙏",
  HIGHFIVE: "🙌",
  WAVE: "👋",
  PARTY: "🎉",
  Fire: "🔥",
  Hundred: "💯",
  ROSE: "🌹",
  CAKE: "🎂",
  BEER: "🍺",
  Coffee: "☕",
  GIFT: "🎁",
  Trophy: "🏆",
  Pin: "📌",
  Alarm: "⏰",
  BOMB: "💣",
  SKULL: "💀",
  POOP: "💩",
};

/** Null if it is no name of a reaction. */
export function emojiOf(name: string): string | null {
  if (!/^\w{1,50}$/.test(name)) return null;
  return Object.hasOwn(EMOJI, name) ? (EMOJI[name] ?? null) : `:${name}:`;
}
