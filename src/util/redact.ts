/**
 * Takes secrets out of text that is logged or shown: values that are known, and what looks like a key, a token or a
 * password. Rather too much is hidden than too little.
 */

const HIDDEN = "***";

/** Shorter ones would also stand in ordinary words. */
const SHORTEST = 4;

const NAME =
  "(?:(?:api|access)[_-]?key|token|secret|passw(?:or)?d|passphrase|(?<![a-z])(?:key|pwd|signature))";

/** Each with what stays of it. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  // Headers.
  [/\b(authorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?)[^\s"',;]{4,}/gi, `$1${HIDDEN}`],
  [/\b(bearer\s+)[\w.~+/=-]{8,}/gi, `$1${HIDDEN}`],
  // Passwords in URLs, up to the last @ of the word: a password may hold one.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/?#@]{0,256}):[^\s"'<>]{1,512}@/gi, `$1:${HIDDEN}@`],
  // key=…, "token": "…", x-api-key: …
  [new RegExp(`(${NAME}["']?\\s*[:=]\\s*["']?)[^\\s"',;&\\\\]{4,}`, "gi"), `$1${HIDDEN}`],
  // Tokens that show by their form whose they are.
  [/(?<![\w-])(?:sk|pk|rk)-[\w-]{8,}/g, HIDDEN],
  [/(?<!\d)\d{6,12}:[\w-]{30,}/g, HIDDEN],
  [/(?<![\w-])[MNO][\w-]{22,}\.[\w-]{6}\.[\w-]{27,}/g, HIDDEN],
  [/(?<![\w-])(?:xox[a-z]|xapp)-[\w-]{8,}/g, HIDDEN],
  [/(?<!\w)(?:gh[pousr]|github_pat|glpat|npm|hf|syt)[_-]\w[\w-]{15,}/g, HIDDEN],
  [/(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)/g, HIDDEN],
  [/(?<!\w)AIza[\w-]{30,}/g, HIDDEN],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, HIDDEN],
];

/** What is known to be secret is asked for only when there is something to hide it in. */
export class Redactor {
  readonly #sources: (() => readonly string[])[] = [];
  #known: RegExp | null = null;

  know(secrets: () => readonly string[]): void {
    this.#sources.push(secrets);
    this.#known = null;
  }

  readonly redact = (text: string): string => {
    this.#known ??= expressionFor(this.#sources.flatMap((secrets) => secrets()));
    let redacted = text.replace(this.#known, HIDDEN);
    for (const [pattern, left] of PATTERNS) redacted = redacted.replace(pattern, left);
    return redacted;
  };
}

/** Any of these, as they are, in a URL or in JSON; the longest first, since one may begin another. */
function expressionFor(secrets: readonly string[]): RegExp {
  const forms = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, encoded(secret), JSON.stringify(secret).slice(1, -1)]);
  const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return longestFirst.length === 0 ? /(?!)/g : new RegExp(longestFirst.map(literal).join("|"), "g");
}

function encoded(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
