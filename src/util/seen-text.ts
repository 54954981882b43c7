/**
 * Shows text to a person who has to approve it: invisible characters, unusual blanks and letters that look like others
 * are written as `\u{…}`. Plain words of one script stay: "größer", "привет" and "你好" are readable, but "сurl" with a
 * Cyrillic с is not what it seems.
 */

/** The text itself if nothing in it can be mistaken; otherwise in quotes, with the doubtful characters written out. */
export function seenText(text: string): { readonly text: string; readonly isSpelt: boolean } {
  let isSpelt = false;
  const pieces = text.match(/[\p{L}\p{N}\p{M}]+|[\s\S]/gu) ?? [];
  const shown = pieces.map((piece) => {
    const isWord = /^[\p{L}\p{N}\p{M}]/u.test(piece);
    if (!HIDDEN.test(piece) && (isWord ? isPlainWord(piece) : !LIKE_ASCII.test(piece)))
      return JSON.stringify(piece).slice(1, -1);
    isSpelt = true;
    return piece.replace(/[^ -~]/gu, spelt);
  });
  return isSpelt ? { text: `"${shown.join("")}"`, isSpelt } : { text, isSpelt };
}

function spelt(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Characters that a reader would not see, would see elsewhere, or would take for a space. */
const HIDDEN = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/u;
/** Characters that look like those of a shell. */
const LIKE_ASCII =
  /[\u00a8\u00b4\u00b8\u02b0-\u02ff\u037e\u0387\u055a-\u055f\u0589\u05c0\u05c3\u05f3\u05f4\u060c\u066a-\u066d\u06d4\u2010-\u201f\u2024\u2027\u2032-\u2037\u2039\u203a\u2041\u2043-\u2046\u204e\u204f\u2052\u2053\u2060-\u2064\u2100-\u214f\u2212-\u2219\u2223\u2225\u2236-\u223c\u2258\u22c5\u22c6\u22ef\u2571-\u2573\u2758-\u275e\u2768-\u2775\u27cb\u27cd\u27e8-\u27eb\u2983-\u2998\u29f5-\u29f9\u2cf9-\u2cff\u2d70\u2e00-\u2e5d\u3014-\u301f\ua4f8-\ua4ff\ua789-\ua78a\uff00-\uff65\uffe0-\uffee\ufe10-\ufe6b]/u;

const ACCENTLESS = /[ßæøœđłðþħŋÆØŒĐŁÐÞĦŊẞ]/;
/** Scripts that are written from left to right and do not look like ASCII. */
const DISTINCT =
  /\p{Script=Thai}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Malayalam}|\p{Script=Gujarati}|\p{Script=Gurmukhi}|\p{Script=Sinhala}|\p{Script=Khmer}|\p{Script=Lao}|\p{Script=Myanmar}|\p{Script=Georgian}|\p{Script=Ethiopic}/u;
const EAST_ASIAN = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\u30fc/u;
/** Two scripts share shapes with ours: these of their letters look like ours. */
const CYRILLIC_LIKE = /[аеорсухѕіјһԁԛԝѵӏкгпьбзАВЕЗКМНОРСТУХЅІЈҮЬ]/u;
const GREEK_LIKE = /[αγεηικνορστυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]/u;
/** Strokes. */
const EAST_ASIAN_LIKE = /[一丨丿丶乙口ノーニハロエト卜工]/u;

type Alphabet = "latin" | "cyrillic" | "greek" | "east" | "other";

function isPlainWord(word: string): boolean {
  if (/^[ -~]*$/.test(word)) return true;
  if (word !== word.normalize("NFKC") || /(?![0-9])\p{N}/u.test(word)) return false;
  const characters = [...word].filter((character) => !/[0-9]/.test(character));
  const kinds = new Set(characters.map(kindOf));
  if (kinds.has(null)) return false;
  const foreign = characters.filter((character) => kindOf(character) !== "latin");
  if (kinds.size > 1 && !(kinds.size === 2 && kinds.has("latin") && kinds.has("east"))) return false;
  if (kinds.has("cyrillic")) return !foreign.every((character) => CYRILLIC_LIKE.test(character));
  if (kinds.has("greek")) return !foreign.every((character) => GREEK_LIKE.test(character));
  return !kinds.has("east") || !foreign.every((character) => EAST_ASIAN_LIKE.test(character));
}

/** Null for characters that are too rare to be known. */
function kindOf(character: string): Alphabet | null {
  if (/^[A-Za-z]$/.test(character) || ACCENTLESS.test(character)) return "latin";
  if (/\p{Script=Latin}/u.test(character))
    return /^[A-Za-z][\u0300-\u036f]+$/.test(character.normalize("NFD")) ? "latin" : null;
  if (/\p{Script=Cyrillic}/u.test(character)) return "cyrillic";
  if (/\p{Script=Greek}/u.test(character)) return "greek";
  if (EAST_ASIAN.test(character)) return "east";
  return DISTINCT.test(character) ? "other" : null;
}
