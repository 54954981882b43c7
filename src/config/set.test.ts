import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setKey, setKeys, unsetKey } from "./set.js";

let home: string;
let file: string;

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), "baton-set-")), "home");
  file = join(home, "config.yaml");
});

afterEach(() => rmSync(join(home, ".."), { recursive: true }));

/** Leaves the file as it is given, in a home that `setKey` made. */
async function given(text: string): Promise<void> {
  await setKey(home, "timezone", "UTC");
  writeFileSync(file, text);
}
const text = () => readFileSync(file, "utf8");
const mode = (path: string) => statSync(path).mode & 0o777;

describe("a new file", () => {
  test("is private, in a private folder, and nothing else is left there", async () => {
    expect(await setKey(home, "timezone", "UTC")).toEqual({ file, value: "UTC", variable: "BATON_TIMEZONE" });
    expect(text()).toBe("timezone: UTC\n");
    expect([mode(file), mode(home)]).toEqual([0o600, 0o700]);
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("is not made for what is refused", async () => {
    await expect(setKey(home, "timezone", "Mars")).rejects.toThrow(/^timezone: "Mars" is not a time zone/);
    expect(existsSync(home)).toBe(false);
  });
});

describe("a section whose keys are all commented out", () => {
  test("takes a key, and keeps its comments", async () => {
    await given("reset:\n  # default: { mode: idle }\nagent:\n  # few\n\ntimezone: UTC\n");
    await setKey(home, "reset.default.mode", "daily");
    await setKey(home, "agent.maxMessages", "5");
    expect(text()).toContain("# default: { mode: idle }");
    expect(text()).toContain("# few");
    expect(text()).toMatch(/^reset:\n(?: {2}#.*\n)? {2}default:\n {4}mode: daily$/m);
    expect(text()).toMatch(/^ {2}maxMessages: 5$/m);
    await setKey(home, "timezone", "Asia/Tokyo");
  });
});

describe("what is around a key", () => {
  const commented = `# my settings

# where I live
timezone: UTC # for now
reset: { default: { mode: idle } } # short
agent:
  # few are enough
  maxMessages: 5 # five
# the end
`;

  test("stays: comments, order, styles and modes", async () => {
    await given(commented);
    chmodSync(file, 0o640);
    await setKey(home, "timezone", "Asia/Tokyo");
    await setKey(home, "agent.maxMessages", "7");
    await setKey(home, "reset.default.atHour", "3");
    await setKey(home, "busy.default", "queue");
    expect(text()).toBe(`# my settings

# where I live
timezone: Asia/Tokyo # for now
reset: { default: { mode: idle, atHour: 3 } } # short
agent:
  # few are enough
  maxMessages: 7 # five
busy:
  default: queue

# the end
`);
    expect(mode(file)).toBe(0o640);
  });

  test("stays when a key is taken away; groups that are empty then go", async () => {
    await given(commented);
    expect(await unsetKey(home, "agent.maxMessages")).toMatchObject({ value: undefined });
    expect(await unsetKey(home, "timezone")).not.toBeNull();
    expect(await unsetKey(home, "timezone")).toBeNull();
    expect(text()).toBe("# my settings\n\nreset: { default: { mode: idle } } # short\n\n# the end\n");
  });

  test("a file of nothing but comments keeps them, before and after", async () => {
    await given("# only this\n");
    await setKey(home, "timezone", "UTC");
    expect(text()).toBe("# only this\n\ntimezone: UTC\n");
    await unsetKey(home, "timezone");
    await setKey(home, "mirror", "jsonl");
    expect(text()).toBe("# only this\n\nmirror: jsonl\n");
  });

  test("taking away from no file makes none", async () => {
    expect(await unsetKey(home, "timezone")).toBeNull();
    expect(existsSync(home)).toBe(false);
  });

  test("a link stays a link", async () => {
    await given("timezone: UTC\n");
    const elsewhere = join(home, "..", "dotfiles.yaml");
    writeFileSync(elsewhere, "# mine\n");
    rmSync(file);
    symlinkSync(elsewhere, file);
    await setKey(home, "mirror", "jsonl");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, "utf8")).toBe("# mine\n\nmirror: jsonl\n");
  });
});

describe("values", () => {
  test.each([
    [
      "people.allow.telegram",
      '[123, "0045", 0046]',
      'people:\n  allow:\n    telegram: [ 123, "0045", "0046" ]\n',
    ],
    [
      "reset.default",
      "{ mode: daily, notify: false }",
      "reset:\n  default: { mode: daily, notify: false }\n",
    ],
    [
      "busy.byChat.whatsapp:1555@s.whatsapp.net",
      "queue",
      "busy:\n  byChat:\n    whatsapp:1555@s.whatsapp.net: queue\n",
    ],
    ["store", "sqlite::memory:", 'store: "sqlite::memory:"\n'],
    ["store", "{ file: ~/url }", "store: { file: ~/url }\n"],
    ["store", "#1.db", 'store: "#1.db"\n'],
    ["scopes.agent", '"12"', 'scopes:\n  agent: "12"\n'],
    ["agent.turnDeadlineSeconds", "0.5", "agent:\n  turnDeadlineSeconds: 0.5\n"],
  ])("%s %s", async (key, value, written) => {
    await setKey(home, key, value);
    expect(text()).toBe(written);
  });
});

describe("refused, and nothing changes", () => {
  test.each([
    ["timezon", "UTC", 'timezon: unknown key. Did you mean "timezone"?'],
    ["maxMessages", "5", 'maxMessages: unknown key. Did you mean "agent.maxMessages"?'],
    ["agent.maxMesages", "5", 'agent.maxMesages: unknown key. Did you mean "maxMessages"?'],
    ["timezone.name", "UTC", "timezone.name: unknown key. Set timezone as a whole."],
    ["__proto__.x", "1", /^__proto__: unknown key\./],
    ["agent.maxMessages", "0", "agent.maxMessages: use a whole number of messages above 0."],
    [
      "reset.default",
      "{ mode: daily, atHuor: 4 }",
      'reset.default.atHuor: unknown key. Did you mean "atHour"?',
    ],
    ["busy.byChat.99", "queue", "busy.byChat.99: name a chat as <platform>:<chat id>."],
    ["people.allow.telegram", "[12345678901234567890]", /^people\.allow\.telegram\.0: give the user's id/],
    ["people.allow.telegram", "[1", /^people\.allow\.telegram: the value is not YAML\./],
    [
      "store",
      "postgres://me:hunter2@host/db",
      /^store: do not write a password into this file\.(?!.*hunter2)/,
    ],
  ])("%s %s", async (key, value, message) => {
    await given("# as it was\ntimezone:   UTC\n");
    await expect(setKey(home, key, value)).rejects.toThrow(message);
    expect(text()).toBe("# as it was\ntimezone:   UTC\n");
    expect(readdirSync(home)).toEqual(["config.yaml"]);
  });

  test("a tool of a server passes where the file has the server, and a misspelt one does not", async () => {
    await expect(setKey(home, "tools.guests", "[files_read]")).rejects.toThrow('unknown tool "files_read"');
    await setKey(home, "mcp.servers.files.command", "x");
    await setKey(home, "tools.byPerson.matrix:@ann:ex.org", "[files_read]");
    await expect(setKey(home, "tools.guests", "[fetchurl]")).rejects.toThrow('Did you mean "fetch_url"?');
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toMatch(
      /matrix:@ann:ex\.org"?: \[ files_read \]/,
    );
  });

  test("where the file has another mistake; its own mistake is mended by it", async () => {
    await given("timezone: Mars\nrest: {}\n");
    await expect(setKey(home, "timezone", "UTC")).rejects.toThrow(
      `${file}:2: rest: unknown key. Did you mean "reset"?`,
    );
    expect(text()).toBe("timezone: Mars\nrest: {}\n");
    writeFileSync(file, "timezone: Mars\n");
    await setKey(home, "timezone", "UTC");
    expect(text()).toBe("timezone: UTC\n");
  });

  test("a file that is not YAML", async () => {
    await given("timezone: {\n");
    await expect(setKey(home, "mirror", "jsonl")).rejects.toThrow(`${file}:`);
    await expect(unsetKey(home, "timezone")).rejects.toThrow(`${file}:`);
    expect(text()).toBe("timezone: {\n");
  });

  test("a home that is a file", async () => {
    writeFileSync(home, "");
    await expect(setKey(home, "timezone", "UTC")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(`${file} can't be written: a file is in the way. Move it away`),
    });
  });
});

describe("several keys in one step", () => {
  const answers = new Map<string, unknown>([
    ["timezone", "Europe/Berlin"],
    ["agent.maxMessages", 7],
    ["store", { file: "secrets/store-url" }],
    ["mirror", undefined],
  ]);

  test("into a new file, with what it is and what each key means", async () => {
    await setKeys(home, answers);
    expect(
      text(),
    ).toBe(`# Settings of Baton. Run \`baton config show\` to see every value and where it comes from.

# IANA time zone of daily resets, such as \`Europe/Berlin\`.
timezone: Europe/Berlin
agent:
  # The agent gets at most this many messages of a session.
  maxMessages: 7
# Where Baton keeps conversations: a path, \`sqlite:<path>\`, \`postgres://…\`, or a file with such a URL.
store: { file: secrets/store-url }
`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const first = text();
    await setKeys(home, answers);
    expect(text()).toBe(first);
  });

  test("into a file of somebody's own, whose words and other keys stay", async () => {
    await given(
      "# mine\n\ntimezone: UTC # for now\nagent:\n  turnDeadlineSeconds: 5 # quick\nmirror: jsonl\n",
    );
    await setKeys(home, answers);
    expect(text()).toBe(`# mine

timezone: Europe/Berlin # for now
agent:
  turnDeadlineSeconds: 5 # quick
  # The agent gets at most this many messages of a session.
  maxMessages: 7
# Where Baton keeps conversations: a path, \`sqlite:<path>\`, \`postgres://…\`, or a file with such a URL.
store: { file: secrets/store-url }
`);
  });

  test("into a list that grows, whose items stay as they are written", async () => {
    await given("people:\n  owners:\n    telegram:\n      - 7 # Ann\n");
    await setKeys(home, new Map([["people.owners.telegram", ["7", "8"]]]));
    expect(text()).toBe('people:\n  owners:\n    telegram:\n      - 7 # Ann\n      - "8"\n');
    await setKeys(home, new Map([["people.owners.telegram", ["8"]]]));
    expect(text()).toBe('people:\n  owners:\n    telegram: [ "8" ]\n');
  });

  test("all or none", async () => {
    await given("# as it was\n");
    const wrong = new Map<string, unknown>([...answers, ["agent.maxMessages", 0]]);
    await expect(setKeys(home, wrong)).rejects.toThrow("agent.maxMessages: use a whole number");
    expect(text()).toBe("# as it was\n");
  });
});

describe("writers at once", () => {
  test("none loses what another wrote", async () => {
    await Promise.all([
      setKey(home, "timezone", "UTC"),
      setKey(home, "mirror", "jsonl"),
      setKey(home, "agent.maxMessages", "5"),
      setKey(home, "busy.default", "queue"),
    ]);
    expect(text().split("\n").toSorted()).toEqual(
      [
        "",
        "  default: queue",
        "  maxMessages: 5",
        "agent:",
        "busy:",
        "mirror: jsonl",
        "timezone: UTC",
      ].toSorted(),
    );
  });

  test("one that was stopped in the middle is named, and the file is whole", async () => {
    await given("timezone: UTC\n");
    writeFileSync(`${file}.lock`, "half of");
    await expect(setKey(home, "mirror", "jsonl")).rejects.toThrow(`${file}.lock exists: `);
    expect(text()).toBe("timezone: UTC\n");
    rmSync(`${file}.lock`);
    await setKey(home, "mirror", "jsonl");
    expect(text()).toBe("timezone: UTC\nmirror: jsonl\n");
  });
});
