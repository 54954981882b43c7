/**
 * Recognises secrets by their form, for logs and errors: keys and tokens of services, private keys, headers, and values
 * that follow a name such as `password` and look like one. Ordinary words, code and prose stay. Every expression is
 * bounded: the work is a constant number of steps a character.
 */

const HIDDEN = "***";

const NAME =
  "(?:(?:api|access|private|signing)[_-]?key|(?<![a-z])(?:[a-z]{1,20}[_-])?token|secret|passw(?:or)?d|passphrase|(?<![a-z])(?:pwd|signature))";

/** `password=…`, `"token": "…"`, `x-api-key: …`: the name, and the value. */
const NAMED = new RegExp(
  `(${NAME}["']?[ \\t]{0,3}[:=][ \\t]{0,3}["']?)([^\\s"',;&\\\\()<>{}\\[\\]\`$*|]{4,512})`,
  "gi",
);

/** Each with its replacement. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, HIDDEN],
  // Headers.
  [
    /\b(authorization["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?:basic|bearer|bot|token)\s{1,3})[^\s"',;`]{8,2048}/gi,
    `$1${HIDDEN}`,
  ],
  [/\b(bearer\s{1,3})(?=[\w.~+/=-]{0,64}\d)[\w.~+/=-]{12,2048}/gi, `$1${HIDDEN}`],
  // Passwords in URLs, up to the last @ of the word: a password may contain one. A number after a host is a port.
  [
    /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/?#@[]{0,64}):(?!\d{1,5}(?:[/?#\s"'`]|$))[^\s"'<>]{1,256}@/gi,
    `$1:${HIDDEN}@`,
  ],
  // Tokens that can be recognised by their form.
  [/(?<![\w-])(?:sk|pk|rk)-(?=[\w-]{0,64}\d)[\w-]{8,}/g, HIDDEN],
  [/(?<!\d)\d{6,12}:[\w-]{30,}/g, HIDDEN],
  [/(?<![\w-])[MNO][\w-]{22,40}\.[\w-]{6}\.[\w-]{27,}/g, HIDDEN],
  [/(?<![\w-])(?:xox[a-z]|xapp)-(?=[\w-]{0,64}\d)[\w-]{8,}/g, HIDDEN],
  [/(?<!\w)(?:gh[pousr]|github_pat|glpat)[_-]\w[\w-]{15,}/g, HIDDEN],
  [/(?<!\w)(?:npm|hf|syt)_(?=[\w-]{0,64}\d)\w[\w-]{15,}/g, HIDDEN],
  [/(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)/g, HIDDEN],
  [/(?<!\w)AIza[\w-]{30,}/g, HIDDEN],
  [/(?<![\w-])eyJ[\w-]{8,2048}\.[\w-]{8,}(?:\.[\w-]*)?/g, HIDDEN],
];

/** `isKnown`: values that are secret although they look like words. */
export function withoutShapes(text: string, isKnown: (value: string) => boolean): string {
  let hidden = text.replace(NAMED, (whole, name: string, value: string) =>
    isKnown(value) || looksSecret(value) ? `${name}${HIDDEN}` : whole,
  );
  for (const [shape, left] of SHAPES) hidden = hidden.replace(shape, left);
  return hidden;
}

/** Not a word, a name or an expression: letters and digits together, or much too long for a word. */
function looksSecret(value: string): boolean {
  const bare = value.replace(/[.:!?]+$/, "");
  // Code, a URL, a path, or something that was shortened.
  if (/^[a-z_]\w*(?:\.#?[a-z_]\w*)+$/i.test(bare) || /[/:]\/|^[~./]|…/.test(bare)) return false;
  return (/\d/.test(bare) && /[a-z]/i.test(bare) && bare.length >= 6) || bare.length >= 32;
}
