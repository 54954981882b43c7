/**
 * Some platforms send the name of an emoji instead of the emoji. Those that people often react with are known here; any
 * other one is `:name:`, as people write it there.
 */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "👍": "+1 thumbsup",
    "👎": "-1 thumbsdown",
    "👌": "ok_hand",
    "👏": "clap",
    "🙏": "pray folded_hands",
    "🙌": "raised_hands",
    "💪": "muscle",
    "👋": "wave",
    "👀": "eyes",
    "❤": "heart",
    "💔": "broken_heart",
    "😍": "heart_eyes",
    "🙂": "slightly_smiling_face",
    "😄": "smile",
    "😂": "joy",
    "🤔": "thinking thinking_face",
    "😕": "confused",
    "😢": "cry",
    "😭": "sob",
    "😠": "angry",
    "😡": "rage",
    "💩": "hankey poop",
    "🎉": "tada",
    "🔥": "fire",
    "🚀": "rocket",
    "⭐": "star",
    "💯": "100",
    "💡": "bulb",
    "✅": "white_check_mark",
    "✔": "heavy_check_mark",
    "❌": "x",
    "❓": "question",
    "❗": "exclamation heavy_exclamation_mark",
    "⚠": "warning",
    "🛑": "octagonal_sign stop_sign",
    "⛔": "no_entry",
    "🚫": "no_entry_sign",
    "🔄": "arrows_counterclockwise",
    "🔁": "repeat",
    "↩": "leftwards_arrow_with_hook",
    "⏳": "hourglass_flowing_sand",
    "🔍": "mag",
    "📌": "pushpin",
    "📝": "memo pencil",
    "🗑": "wastebasket",
  }).flatMap(([emoji, names]) => names.split(" ").map((name) => [name, emoji] as const)),
);

/** With or without the skin tone that a name may end with. */
export function emojiNamed(name: string): string {
  const [plain = ""] = name
    .slice(0, 100)
    .split(/::skin-tone-|_(?:(?:medium_)?(?:light|dark)|medium)_skin_tone/);
  return NAMES.get(plain) ?? `:${plain}:`;
}
