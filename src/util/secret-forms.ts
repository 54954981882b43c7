/**
 * The forms in which a secret may stand in a text: as it is, and as programs usually write it into URLs, JSON, shells,
 * HTML, base64 and hex.
 */

/** Shorter ones also stand in ordinary words. */
const SHORTEST = 8;
/** Letters only, all of one case, up to that long: a word such as `postgres`. */
const LONGEST_WORD = 11;
/** Digits only, up to that long: such numbers also name chats and people. */
const LONGEST_NUMBER = 15;
/** A secret of several lines, such as a key, is also looked for line by line. */
const SHORTEST_LINE = 16;

/** Whether a text with these characters is this secret, and not by chance an ordinary word or number. */
export function isUnmistakable(secret: string): boolean {
  if (secret.length < SHORTEST || /^(.)\1*$/su.test(secret)) return false;
  if (/^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(secret)) return secret.length > LONGEST_WORD;
  return !/^\d+$/.test(secret) || secret.length > LONGEST_NUMBER;
}

/** Every form of a secret. */
export function formsOf(secret: string): string[] {
  const lines = secret
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);
  const texts = lines.length > 1 ? [secret, ...lines] : [secret];
  return [...new Set(texts.flatMap((text) => [...written(text), ...inBase64(text), ...inHex(text)]))];
}

function written(secret: string): string[] {
  const json = jsonOf(secret);
  const url = encodeURIComponent(secret.toWellFormed());
  const query = new URLSearchParams([["", secret]]).toString().slice(1);
  return [
    secret,
    json,
    jsonOf(json),
    json.replaceAll("/", "\\/"),
    json.replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    url,
    url.replace(/%../g, (code) => code.toLowerCase()),
    query,
    query.replaceAll("+", "%20"),
    encodeURI(secret.toWellFormed()),
    secret.replaceAll("'", "'\\''"),
    secret.replaceAll("'", `'"'"'`),
    secret.replace(/["$`\\]/g, "\\$&"),
    secret.replace(/[^\w@%+=:,./-]/gu, "\\$&"),
    secret
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  ];
}

function jsonOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What is the same in every base64 text that holds the secret: one form for each of the three places it may begin at. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const kept = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice([0, 2, 3][before], Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [...kept, ...kept.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}

function inHex(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [hex, hex.toUpperCase()];
}
