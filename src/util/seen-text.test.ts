/** What is shown for approval is what would be run: nothing hides, and no two commands look the same. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seenText } from "./seen-text.js";

/** Characters that look like an ASCII one, or like a space, or like nothing. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "аαａ𝐚𝗮ɑ",
  c: "сϲⅽｃ𝒄",
  d: "ԁⅾｄ",
  e: "еｅ𝖾℮",
  g: "ɡｇ",
  i: "ііıｉⅰ",
  j: "јϳｊ",
  l: "ӏⅼｌ𝗅",
  m: "ⅿｍ𝗺",
  n: "ｎ𝚗",
  o: "оοօｏ০",
  p: "рρｐ",
  r: "ｒ𝗿г",
  s: "ѕｓꜱ",
  t: "ｔ𝘁",
  u: "υｕ",
  x: "хχⅹｘ",
  y: "уγｙ",
  "0": "０𝟎",
  "-": "‐‑−–－",
  "/": "∕⁄／╱",
  ".": "․．",
  ";": ";；",
  "|": "ǀ∣｜",
  "'": "’′ʹ",
  '"': "”“″",
  "~": "∼～˜",
  "*": "∗＊",
  $: "＄",
  "&": "＆",
  ">": "›＞",
  " ": "\u00a0\u2003\u3000\u2800\u2009\u202f\u1680",
  "": "\u200b\u200d\u2060\ufeff\u202e\u2066\u00ad\u034f\u3164\ufe0f",
};

const ALIKE = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([ascii, others]) =>
    [...others].map((other) => [other, ascii] as const),
  ),
);

/** As an eye would take it. */
function asSeen(text: string): string {
  return [...text.normalize("NFC")].map((character) => ALIKE.get(character) ?? character).join("");
}

describe("text to be approved", () => {
  it.each([
    "rm -rf build",
    "echo 'größer, naïve café' > Übung.txt",
    "git commit -m 'Привет, мир'",
    "echo 你好，世界 > 問候.txt".replace("，", " "),
    "echo 使用git提交",
    "echo สวัสดี नमस्ते",
    "echo ✓ 🎉 → € ©",
    "echo こんにちは 안녕하세요",
    "line one\n\tline two",
  ])("%s stays as it is", (text) => {
    expect(seenText(text)).toEqual({ text, isSpelt: false });
  });

  it.each([
    ["сurl https://x", '"\\u{441}url https://x"'],
    ["rm\u00a0-rf ~", '"rm\\u{a0}-rf ~"'],
    ["ls\u2003x\u3000y\u2800z", '"ls\\u{2003}x\\u{3000}y\\u{2800}z"'],
    ["ｒｍ -rf", '"\\u{ff52}\\u{ff4d} -rf"'],
    ["𝗿𝗺 x", '"\\u{1d5ff}\\u{1d5fa} x"'],
    ["rm −rf", '"rm \\u{2212}rf"'],
    ["cat сору", '"cat \\u{441}\\u{43e}\\u{440}\\u{443}"'],
    ["a\u202eb", '"a\\u{202e}b"'],
    ["cafe\u0301", '"cafe\\u{301}"'],
    ["echo שלום /", '"echo \\u{5e9}\\u{5dc}\\u{5d5}\\u{5dd} /"'],
    ['x\u200b "y"\\n', '"x\\u{200b} \\"y\\"\\\\n"'],
    ["привет; сat x", '"привет; \\u{441}at x"'],
  ])("%s is spelt out", (text, shown) => {
    expect(seenText(text)).toEqual({ text: shown, isSpelt: true });
  });

  const alike = fc.constantFrom(...ALIKE.keys());
  const plain = fc.constantFrom(
    ..."abcdegijlmnoprstuxy0-/.;|'\"~*$&> \\u{}41",
    "\n",
    "мир",
    "и",
    "ж",
    "世",
    "é",
  );
  const command = fc
    .array(fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: alike }), { maxLength: 12 })
    .map((characters) => characters.join(""));
  const shown = (text: string) => {
    const { text: seen, isSpelt } = seenText(text);
    return `${isSpelt ? "(spelt out) " : ""}${seen}`; // The question says so.
  };

  it("never looks like another text", () => {
    fc.assert(
      fc.property(command, fc.array(fc.nat({ max: 11 }), { maxLength: 3 }), alike, (one, places, other) => {
        // The same with some characters exchanged for their look-alikes, or with one put in.
        const changed = [...one].map((character, at) => {
          const likes = places.includes(at) ? [...(LOOK_ALIKES[character] ?? "")] : [];
          return likes[at % Math.max(1, likes.length)] ?? character;
        });
        for (const two of [changed.join(""), one + other, other + one]) {
          if (one !== two)
            expect(asSeen(shown(one)), JSON.stringify([one, two])).not.toBe(asSeen(shown(two)));
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it("is shown with nothing hidden in it, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        expect(seenText(text).text).not.toMatch(
          /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u,
        );
      }),
      { numRuns: 1_000, examples: [["\u115f"], ["\ud800"], ["\u{e0041}"]] },
    );
  });
});
