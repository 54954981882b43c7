import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redactor } from "./redact.js";
import { isUnmistakable } from "./secret-forms.js";

const { redact } = new Redactor();

describe("what looks like a secret", () => {
  test.each([
    ["Authorization: Bearer abcDEF123456", "Authorization: Bearer ***"],
    ['{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"Basic ***"}'],
    ["sent bearer abcDEF123456.", "sent bearer ***"],
    ["key sk-ant-api03-AbCd_123-xyz was refused", "key *** was refused"],
    ["sk-or-v1-0123456789abcdef", "***"],
    ["https://api.telegram.org/bot123456789:AAF_abcdefghijklmnopqrstuvwxyz0123/getMe", /\/bot\*\*\*\/getMe$/],
    [`M${"a".repeat(25)}.Gabcde.${"b".repeat(30)}`, "***"],
    ["xoxb-1234567890-abcdef and xapp-1-A0-abcdef", "*** and ***"],
    ["ghp_abcdefghijklmnopqrstuvwx", "***"],
    ["AKIAIOSFODNN7EXAMPLE", "***"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF", "***"],
    ["postgres://me:hunter2@host/db", "postgres://me:***@host/db"],
    ["redis://:p@ss/word@host:1/0", "redis://:***@host:1/0"],
    ["GET /hook?token=abcd1234&x=1", "GET /hook?token=***&x=1"],
    ['x-api-key: abcd1234, {"apiKey": "zyxw9876"}', 'x-api-key: ***, {"apiKey": "***"}'],
    ["PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "***"],
  ])("%s", (text, redacted) => {
    if (typeof redacted === "string") expect(redact(text)).toBe(redacted);
    else expect(redact(text)).toMatch(redacted);
  });

  test.each([
    "Telegram: message from Ann (ann) in chat 99: accepted.",
    "The gateway is running. Press Ctrl-C to stop it.",
    "process 4711 on host, since 2026-01-10T12:00:00.000Z",
    "agent:main:dm:telegram:99 has 12000 tokens",
    "see https://example.org:8080/path?page=2 or ask-me-anything",
    "https://example.org:8080/@ann and http://[::1]:3000/a@b",
    "The key: lines that were read; token: input, secret=nothing, password: none",
    "`key: 2000 lines`, signature: (text: string) => string, token = tokens[0]",
    "bearer certificates and a task-oriented pk-column; npm_config_user_agent_name",
    "apiKey: config.agent.apiKey.reveal()",
  ])("ordinary words stay: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("of our own documentation and source nothing is hidden but the passwords in their examples", () => {
    const root = new URL("../..", import.meta.url).pathname;
    const pages = readdirSync(root).filter((name) => name.endsWith(".md"));
    const below = ["docs", "src"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.(?:md|ts)$/.test(path) && !path.endsWith(".test.ts"))
        .map((path) => join(folder, path)),
    );
    const lines = [...pages, ...below].flatMap((path) => readFileSync(join(root, path), "utf8").split("\n"));
    expect(lines.length).toBeGreaterThan(10_000);
    const changed = lines.filter((line) => redact(line) !== line);
    expect(changed.filter((line) => !line.includes("postgres://user:password@host/db"))).toEqual([]);
  });
});

/** Deep and long: nothing here may take more than a few steps a character. */
describe("a long hostile text is no burden", () => {
  const units = [
    "a.",
    "a://b:",
    "key ",
    "eyJ.",
    "-----BEGIN ",
    "M-",
    "Bearer ",
    "password=",
    "token: ",
    "sk-",
    "1:",
  ];

  test.each([...units, " ", "\n", "a", "authorization: ", "***"])("%j", (unit) => {
    const redactor = new Redactor();
    redactor.know(() => ["aaaaaaaaaaaaaaaaaaab", "abababababababab", "a1".repeat(500)]);
    expect(typeof redactor.redact(unit.repeat(20_000))).toBe("string");
  });
});

describe("what is known to be secret", () => {
  const secrets = fc
    .string({ unit: "grapheme", minLength: 8 })
    .filter((secret) => isUnmistakable(secret.trim()));

  test("goes wherever it stands, in every form that programs write it in", () => {
    const words = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(secrets, words, words, (secret, before, after) => {
        const redactor = new Redactor();
        redactor.know(() => ["other-secret", secret]);
        const plain = secret.trim();
        const forms = [
          plain,
          encodeURIComponent(plain),
          new URLSearchParams({ plain }).toString(),
          JSON.stringify({ plain }),
          JSON.stringify({ nested: JSON.stringify({ plain }) }),
          `'${plain.replaceAll("'", "'\\''")}'`,
          Buffer.from(plain).toString("hex"),
        ];
        for (const form of forms) {
          const hidden = redactor.hide(`${before} ${form} ${after}`);
          expect(hidden).not.toContain(form);
          expect(hidden).toContain("***");
        }
      }),
    );
  });

  test("base64 of a text around it, wrapped into lines, does not give it back", () => {
    fc.assert(
      fc.property(
        secrets,
        fc.string(),
        fc.string(),
        fc.integer({ min: 4, max: 76 }),
        (secret, a, b, width) => {
          const plain = secret.trim();
          const redactor = new Redactor();
          redactor.know(() => [plain]);
          for (const encoding of ["base64", "base64url"] as const) {
            const text = Buffer.from(`${a}\n${plain}\n${b}`).toString(encoding);
            const hidden = redactor.hide(text.replace(new RegExp(`.{${width}}`, "g"), "$&\n"));
            expect(hidden).toContain("***");
            const decoded = Buffer.from(hidden.replaceAll("***", ""), "base64").toString();
            if (!a.includes(plain) && !b.includes(plain)) expect(decoded).not.toContain(plain);
          }
        },
      ),
    );
  });

  const AWKWARD = `p@ss/w0rd!x<&>"'+\u00fc`;
  const numeric = (signs: RegExp, as: (code: number) => string) =>
    AWKWARD.replace(signs, (sign) => as(sign.charCodeAt(0)));
  const unicode = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
  const pairs = [...Buffer.from(AWKWARD)].map((byte) => byte.toString(16).padStart(2, "0"));

  test.each([
    [
      "JSON of Go",
      JSON.stringify(AWKWARD)
        .slice(1, -1)
        .replace(/[<>&]/g, (sign) => unicode(sign.charCodeAt(0))),
    ],
    ["JSON of .NET", numeric(/[<>&'"+\u00fc]/g, (code) => unicode(code).toUpperCase().replace("U", "u"))],
    ["XML in numbers", numeric(/[&<>"']/g, (code) => `&#${code};`)],
    ["HTML in hex", numeric(/[&<>"'/]/g, (code) => `&#x${code.toString(16).toUpperCase()};`)],
    [
      "HTML with a slash",
      AWKWARD.replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&#x27;")
        .replaceAll("/", "&#x2F;"),
    ],
    ["a URL in a URL", encodeURIComponent(encodeURIComponent(AWKWARD))],
    ["hex with colons", pairs.join(":")],
    ["hex with spaces", pairs.join(" ").toUpperCase()],
    ["wrapped with an indent", `${AWKWARD.slice(0, 6)}\r\n\t  ${AWKWARD.slice(6)}`],
    ["base64 with an indent", Buffer.from(AWKWARD).toString("base64").replace(/.{8}/g, "$&\n    ")],
  ])("goes as %s", (_, form) => {
    const redactor = new Redactor();
    redactor.know(() => [AWKWARD]);
    expect(redactor.hide(`a ${form} b`)).toMatch(/^a \*{3}[^*]{0,5} b$/);
  });

  test("goes as base64 of UTF-16, wherever it begins", () => {
    const redactor = new Redactor();
    redactor.know(() => [AWKWARD]);
    for (const before of ["", "x", "xy"]) {
      const hidden = redactor.hide(Buffer.from(`${before}${AWKWARD};`, "utf16le").toString("base64"));
      expect(hidden).toMatch(/^[^*]{0,7}\*{3}[^*]{0,8}$/);
    }
  });

  test("with a blank in it, wrapped before, after or at that, with and without an indent", () => {
    const redactor = new Redactor();
    redactor.know(() => ["horse battery-1"]);
    for (const text of [
      "horse\n battery-1",
      "horse \nbattery-1",
      "horse \n    battery-1",
      "horse\n\t  battery-1",
    ])
      expect(redactor.hide(`a ${text} b`)).toBe("a *** b");
  });

  test("a secret that comes in pieces is never shown, nor its beginning", () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), pieces, (secret, before, after, lengths) => {
        const plain = secret.trim();
        const redactor = new Redactor();
        redactor.know(() => ["garden-1", "garden-1-party", plain]);
        const text = `${before} ${plain} ${after} garden-1-part garden-1-party garden-1`;
        const stream = redactor.stream();
        let shown = "";
        for (let at = 0, n = 0; at < text.length; n++) {
          const length = lengths[n % lengths.length] ?? 1;
          shown += stream.push(text.slice(at, at + length));
          at += length;
          // What is shown is always the beginning of what is shown in the end.
          expect(redactor.hide(text).startsWith(shown)).toBe(true);
        }
        expect(shown + stream.end()).toBe(redactor.hide(text));
      }),
    );
  });

  test("where a part of the text is left out, no part of a secret is shown", () => {
    const part = fc.nat(80);
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), part, part, part, (secret, before, after, ...cuts) => {
        const redactor = new Redactor();
        redactor.know(() => ["garden-1-party", secret.trim()]);
        const text = `${before} ${secret.trim()} garden-1-party ${after} a garden-1-party in ${"words ".repeat(200)}`;
        const [from = 0, to = 0] = [cuts[0], cuts[0] + cuts[1]];
        const stream = redactor.stream();
        const first = stream.push(text.slice(0, from));
        stream.skip();
        const rest = [text.slice(to, to + cuts[2]), text.slice(to + cuts[2])].map((piece) =>
          stream.push(piece),
        );
        const last = rest.join("") + stream.end();
        const hidden = redactor.hide(text);
        expect([hidden.startsWith(first), hidden.endsWith(last)]).toEqual([true, true]);
        expect(stream.push("and on ") + stream.end()).toBe("and on ");
      }),
    );
  });

  test("what was left out does not silence what follows for long", () => {
    const redactor = new Redactor();
    redactor.know(() => ["garden-1-party"]);
    const stream = redactor.stream();
    stream.push("a garden-1-");
    stream.skip();
    expect(stream.push(`-party ${"word ".repeat(100)}garden-1-party.`)).toMatch(/^[word ]+\*{3}\.$/);
  });

  test("two secrets that overlap, in pieces: neither is shown, nor the rest of the second", () => {
    const redactor = new Redactor();
    redactor.know(() => ["abcdefgh-1", "gh-1-ijklmn"]);
    const stream = redactor.stream();
    const shown = [..."x abcdefgh-1-ijklmn y"].map((letter) => stream.push(letter)).join("") + stream.end();
    expect(shown).toBe("x *** y");
  });

  test("each line of a private key", () => {
    const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    const redactor = new Redactor();
    redactor.know(() => [`-----BEGIN KEY-----\n${line}1\n${line}2\n-----END KEY-----\n`]);
    expect(redactor.hide(`> ${line}2\n> rest`)).toBe("> ***\n> rest");
  });

  test.each(["postgres", "Signal", "hunter2", "12345678", "--------"])(
    "%s is a word like others, and hidden only beside a name that says what it is",
    (secret) => {
      const redactor = new Redactor();
      redactor.know(() => [secret]);
      const text = `The word ${secret} is {"chatId":"${secret}"} in agent:main:${secret}.`;
      expect(redactor.redact(text)).toBe(text);
      expect(redactor.redact(`password=${secret}`)).toBe("password=***");
    },
  );

  test("the longer of two, where one begins the other; too short ones would shred the text", () => {
    const redactor = new Redactor();
    redactor.know(() => ["garden-1", "garden-1-party", "on"]);
    expect(redactor.redact("a garden-1-party on Monday")).toBe("a *** on Monday");
  });

  test("is asked for when there is something to redact, and again when more is known", () => {
    const redactor = new Redactor();
    let asked = 0;
    redactor.know(() => {
      asked += 1;
      return ["alpha-value"];
    });
    expect(asked).toBe(0);
    expect(redactor.redact("alpha-value beta-value")).toBe("*** beta-value");
    redactor.know(() => ["beta-value"]);
    expect(redactor.redact("alpha-value beta-value")).toBe("*** ***");
  });
});
