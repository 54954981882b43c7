/** Marks the words of a search in a line, with case and accents folded as the search folds them. */

/** Scripts that write no spaces: a word of them may stand anywhere. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

export function highlight(line: string, query: string, mark: (text: string) => string): string {
  const wanted = [...query.matchAll(/([\p{L}\p{N}\p{M}]+)(\*?)/gu)].map(([, word = "", star]) => ({
    word: fold(word),
    prefix: star === "*",
  }));
  return line.replace(/[\p{L}\p{N}\p{M}]+/gu, (word) => {
    const folded = fold(word);
    for (const { word: sought, prefix } of wanted) {
      if (folded === sought || (prefix && folded.startsWith(sought))) return mark(word);
      const place = UNSPACED.test(sought) && folded.length === word.length ? folded.indexOf(sought) : -1;
      if (place >= 0) {
        const end = place + sought.length;
        return word.slice(0, place) + mark(word.slice(place, end)) + word.slice(end);
      }
    }
    return word;
  });
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFKC").toLowerCase();
}
