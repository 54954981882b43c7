/**
 * The forms in which a text may contain a secret: unchanged, and as programs usually write it into URLs, JSON, shells,
 * HTML, base64 (also of UTF-16, as PowerShell does) and hex.
 */

/** Shorter ones also occur in ordinary words. */
const SHORTEST = 8;
/** Letters only, all of one case, up to that long: a word such as `postgres`. */
const LONGEST_WORD = 11;
/** Digits only, up to that long: such numbers also name chats and people. */
const LONGEST_NUMBER = 15;
/** A secret of several lines, such as a key, is also looked for line by line. */
const SHORTEST_LINE = 16;

/** True if a text with these characters can only be this secret, and not by chance an ordinary word or number. */
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
  const forms =
    lines.length > 1
      ? [...written(secret), ...encoded(secret), ...lines.flatMap(everyForm)]
      : everyForm(secret);
  return [...new Set(forms)];
}

function written(secret: string): string[] {
  return [secret, ...inJson(secret), ...inUrl(secret), ...inShell(secret), ...inHtml(secret)];
}

function inJson(secret: string): string[] {
  const json = jsonOf(secret);
  const inUnicode = (signs: RegExp): string[] => {
    const escaped = (text: string, spell: (hex: string) => string) =>
      text.replace(signs, (unit) => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, "0"))}`);
    const quoted = json.replaceAll('\\"', '"'); // If a quotation mark is written like this, it has no backslash.
    return [json, quoted].flatMap((text) => [
      escaped(text, (hex) => hex),
      escaped(text, (hex) => hex.toUpperCase()),
    ]);
  };
  return [
    json,
    jsonOf(json),
    json.replaceAll("/", "\\/"),
    ...inUnicode(/[^\0-~]/g),
    ...inUnicode(/[<>&]/g),
    ...inUnicode(/[<>&\u2028\u2029]/g),
    ...inUnicode(/[<>&'"+`]|[^\0-~]/g),
  ];
}

function jsonOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Also encoded twice, like an address within an address. */
function inUrl(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed());
  const query = new URLSearchParams([["", secret]]).toString().slice(1);
  const lower = url.replace(/%../g, (code) => code.toLowerCase());
  const once = [url, lower, query, query.replaceAll("+", "%20"), encodeURI(secret.toWellFormed())];
  return [...once, ...once.map(encodeURIComponent)];
}

function inShell(secret: string): string[] {
  return [
    secret.replaceAll("'", "'\\''"),
    secret.replaceAll("'", `'"'"'`),
    secret.replace(/["$`\\]/g, "\\$&"),
    secret.replace(/[^\w@%+=:,./-]/gu, "\\$&"),
  ];
}

const NAMED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** With the usual names for some characters, and with numbers for more of them. */
function inHtml(secret: string): string[] {
  const decimal = (sign: string): string => `&#${sign.codePointAt(0)};`;
  const hex = (sign: string): string => `&#x${sign.codePointAt(0)?.toString(16)};`;
  const upper = (sign: string): string => `&#x${sign.codePointAt(0)?.toString(16).toUpperCase()};`;
  const numbers = [decimal, hex, upper, (sign: string) => (sign === "'" ? "&#039;" : decimal(sign))];
  const more = [/[&<>]/gu, /[&<>"']/gu, /[&<>"'/]/gu, /[&<>"'/`=]/gu, /[&<>"']|[^\0-~]/gu];
  return more.flatMap((signs) => [
    secret.replace(signs, (sign) => NAMED[sign] ?? (sign === "'" ? "&apos;" : sign)),
    ...numbers.flatMap((number) => [
      secret.replace(signs, number),
      secret.replace(signs, (sign) => NAMED[sign] ?? number(sign)),
      secret.replace(signs, (sign) => (sign === '"' ? number(sign) : (NAMED[sign] ?? number(sign)))),
    ]),
  ]);
}

function everyForm(secret: string): string[] {
  return [...written(secret), ...encoded(secret), ...rarelyEncoded(secret)];
}

function encoded(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [...inBase64(bytes), ...inHex(bytes, "")];
}

/** PowerShell encodes UTF-16. */
function rarelyEncoded(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [...inBase64(Buffer.from(secret, "utf16le")), ...inHex(bytes, ":"), ...inHex(bytes, " ")];
}

/**
 * The part that is the same in every base64 text that contains the secret: one form for each of the three possible
 * offsets.
 */
function inBase64(bytes: Buffer): string[] {
  const kept = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return text.slice([0, 2, 3][before], Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [...kept, ...kept.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}

function inHex(bytes: Buffer, between: string): string[] {
  const hex = bytes.toString("hex").replace(/..(?!$)/g, `$&${between}`);
  return [hex, hex.toUpperCase()];
}
