import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redactor } from "./redact.js";

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
    "The gateway is running. Ctrl-C stops it.",
    "process 4711 on host, since 2026-01-10T12:00:00.000Z",
    "agent:main:dm:telegram:99 has 12000 tokens",
    "see https://example.org:8080/path?page=2 or ask-me-anything",
  ])("ordinary words stay: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("a long hostile text is no burden", () => {
    for (const unit of ["a.", "a://b:", "key ", "eyJ.", "-----BEGIN ", "M-", "Bearer "]) {
      expect(typeof redact(unit.repeat(50_000))).toBe("string");
    }
  });
});

describe("what is known to be secret", () => {
  test("goes wherever it stands, as it is, in a URL and in JSON", () => {
    const words = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 6 }), words, words, (secret, before, after) => {
        fc.pre(secret.trim().length >= 6 && !/^\**$/.test(secret.trim()));
        const redactor = new Redactor();
        redactor.know(() => ["other-secret", secret]);
        for (const form of [secret, encodeURIComponent(secret), JSON.stringify({ secret })]) {
          expect(redactor.redact(`${before} ${form} ${after}`)).not.toContain(secret.trim());
        }
      }),
    );
  });

  test("the longer of two, where one begins the other; too short ones would shred the text", () => {
    const redactor = new Redactor();
    redactor.know(() => ["garden", "garden-party", "on"]);
    expect(redactor.redact("a garden-party on Monday")).toBe("a *** on Monday");
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
