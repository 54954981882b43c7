/** `baton memory`, as people and scripts run it. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MemoryNote } from "../src/memory/notes.js";
import { openStore } from "../src/open-sessions.js";
import { baton, makeHome } from "./support/baton.js";
import { killAll, PtyChat, pty } from "./terminal/pty-chat.js";

const ME = "person:local:terminal";

let home: string;
beforeEach(() => {
  home = makeHome();
});

async function memory(...words: string[]) {
  const { code, stdout, stderr } = await baton(home, ["memory", ...words]);
  return { code, said: stdout.trim(), problem: stderr.trim() };
}
async function piped(lines: string, words = "") {
  const { code, stdout, stderr } = await baton(home, [], {
    shell: `printf '%s' '${lines}' | baton memory edit ${words}`,
  });
  return { code, said: stdout.trim(), problem: stderr.trim() };
}
const notesOf = async (...who: string[]): Promise<MemoryNote[]> =>
  JSON.parse((await memory("show", ...who, "--json")).said).notes;
const textsOf = async (...who: string[]) => (await notesOf(...who)).map(({ text }) => text);

type Store = Awaited<ReturnType<typeof openStore>>["store"];
async function prepare(work: (store: Store) => Promise<unknown>): Promise<void> {
  const { store, sessions } = await openStore({ url: join(home, "baton.db") });
  await work(store);
  await sessions.close();
}
const note = (store: Store, owner: string, text: string) =>
  store.memory.add([owner], owner, text, "agent", 4_000, Date.now());

test("without a store there is nothing to show or to forget, and none is made", async () => {
  expect((await memory("show")).said).toBe("Baton remembers nothing about you.");
  expect((await memory("show", "--people")).said).toBe("Baton remembers nothing about anybody.");
  expect((await memory("forget", "--all", "--yes")).said).toBe("Removed 0 notes about you.");
  expect(readdirSync(home)).not.toContain("baton.db");
});

test("lines become notes; those that stay keep their numbers; a note too long is named by its line", async () => {
  expect((await piped("likes tea\n\n lives in Ulm ")).said).toBe("Added 2 notes.");
  const before = await notesOf();
  expect(before).toMatchObject([
    { owner: ME, text: "likes tea", by: "person" },
    { owner: ME, text: "lives in Ulm", by: "person" },
  ]);
  expect((await piped("lives in Ulm\nlikes tea\n")).said).toBe("Nothing was changed.");
  expect(JSON.parse((await piped("lives in Ulm\nhas a cat\n", "--json")).said)).toEqual({
    added: 1,
    removed: 1,
  });
  expect(await notesOf()).toMatchObject([{ id: before[1]?.id, text: "lives in Ulm" }, { text: "has a cat" }]);

  const long = await piped(`ok\n${"x".repeat(501)}`);
  expect(long).toMatchObject({ code: 1, said: "" });
  expect(long.problem).toBe(
    "baton: Line 2: The note has 501 characters, but at most 500 are allowed. Make it shorter, or split it.",
  );
  const lines = Array.from({ length: 9 }, (_, n) => String(n).repeat(500)).join("\n");
  expect((await piped(lines)).problem).toMatch(
    /^baton: There is no room for that: it needs [\d,]+ characters, and 21 of 4,000 are used/,
  );
  const nothing = await piped("\n");
  expect(nothing).toMatchObject({ code: 2 });
  expect(nothing.problem).toMatch(
    /^baton: No line was piped in. To remove all notes, run `baton memory forget --all`/,
  );
  expect(await textsOf()).toEqual(["lives in Ulm", "has a cat"]);
});

test("shows whose notes are asked for, with all accounts of a person, and who has any", async () => {
  await prepare(async (store) => {
    await store.people.join("telegram:1", "discord:2", "p_0a", 0);
    await note(store, "person:telegram:1", "likes tea");
    await note(store, "person:discord:2", "has a \u001b[31mcat");
    await note(store, "chat:telegram:-100", "meets on Mondays");
    await note(store, ME, "owns the machine");
  });
  for (const who of ["p_0a", "telegram:1", "discord:2"]) {
    const { said } = await memory("show", who);
    expect(said).toMatch(
      /NUMBER +NOTE +BY +WHEN\n.* likes tea +agent +just now\n.* has a cat +agent +just now\n/,
    );
    expect(said).toMatch(/\n23 of 4,000 characters are used\.$/);
  }
  expect(await textsOf("chat:telegram:-100")).toEqual(["meets on Mondays"]);
  expect(await textsOf()).toEqual(["owns the machine"]);
  expect(await textsOf("local:terminal")).toEqual(["owns the machine"]);
  const { said } = await memory("show", "--people");
  expect(said).toMatch(/^chat:telegram:-100 +1 +just now$/m);
  expect(said).toMatch(/^telegram:1 +.*p_0a +1 +just now$/m);
  expect(said).toMatch(/^local:terminal +you, at this terminal +1 +just now$/m);
  expect(said).not.toContain("tea");
  expect(JSON.parse((await memory("show", "--people", "--json")).said).people).toHaveLength(4);
});

test("says that the agent does not see them if memory is off", async () => {
  await prepare((store) => note(store, ME, "likes tea"));
  expect((await memory("show")).said).not.toContain("memory.enabled");
  writeFileSync(join(home, "config.yaml"), "memory: { enabled: false }\n");
  expect((await memory("show")).said).toMatch(
    /likes tea[\s\S]*\nThe agent does not see these notes: the setting memory\.enabled is false\.$/,
  );
});

test("says what is wrong with a name", async () => {
  const unknown = await memory("show", "telegram:99");
  expect([unknown.code, unknown.problem]).toEqual([
    1,
    "baton: Person not found: telegram:99. Run `baton people list` to see who has access.",
  ]);
  expect((await memory("show", "p_99")).problem).toContain("Person not found: p_99.");
  expect((await piped("x", "telegram:99")).problem).toContain("Person not found: telegram:99.");
  expect((await memory("show", "ann")).code).toBe(2);
  expect((await memory("show", "chat:telegram")).problem).toContain("Use chat:<platform>:<chat id>");
  expect((await memory("show", "telegram:1", "--people")).problem).toContain("not both");
});

test("forgets by number, or all, and only with a yes", async () => {
  await prepare(async (store) => {
    for (const text of ["a", "b", "c", "d"]) await note(store, ME, text);
    await note(store, "chat:telegram:-100", "meets on Mondays");
  });
  const [a, b, c] = (await notesOf()).map(({ id }) => String(id));
  const [groups] = (await notesOf("chat:telegram:-100")).map(({ id }) => String(id));
  expect((await memory("forget")).problem).toContain("Give the numbers of notes");
  expect((await memory("forget", "--all")).problem).toContain("Add --yes to confirm");
  expect((await memory("forget", a ?? "", "--all", "--yes")).problem).toContain("not both");
  expect((await memory("forget", groups ?? "")).problem).toContain(
    `There is no note ${groups} in this memory`,
  );
  expect((await memory("forget", a ?? "", b ?? "")).said).toBe("Removed 2 notes about you.");
  expect(JSON.parse((await memory("forget", c ?? "", "--json")).said)).toEqual({ removed: 1 });
  expect((await memory("forget", "chat:telegram:-100", groups ?? "")).said).toBe(
    "Removed 1 note about chat:telegram:-100.",
  );
  expect((await memory("forget", "--all", "--yes")).said).toBe("Removed 1 note about you.");
  expect(await notesOf()).toEqual([]);
});

describe.skipIf(!pty)(`the editor${pty ? "" : " (NOT TESTED: the prebuilt PTY does not load here)"}`, () => {
  afterEach(killAll);

  /** An editor that does this with the file `$1`. */
  function editor(script: string): string {
    const path = join(home, "..", "editor");
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o700);
    return path;
  }
  function edit(command: string): PtyChat {
    const set = `HOME='${join(home, "..")}' BATON_HOME='${home}' EDITOR=false VISUAL='${command}'`;
    const shell = `${set} exec '${process.execPath}' dist/main.js memory edit`;
    return new PtyChat({ columns: 100, rows: 30, shell });
  }

  test("has one note a line, in a private file; an unchanged file changes nothing", async () => {
    await prepare(async (store) => {
      await note(store, ME, "likes tea");
      await note(store, ME, "# lives in Ulm");
    });
    const copy = join(home, "..", "copy");
    const same = edit(
      `${editor(`for each in "$(dirname "$2")" "$2"; do ls -ld "$each" | cut -c1-10; done > '${copy}'; cat "$2" >> '${copy}'`)} -x`,
    );
    expect(await same.exited).toBe(0);
    expect(same.raw).toContain("Nothing was changed.");
    expect(readFileSync(copy, "utf8")).toBe("drwx------\n-rw-------\nlikes tea\n# lives in Ulm\n");

    const changed = edit(editor(`sed -i 's/tea/coffee/' "$1"; echo 'has a cat' >> "$1"; touch "$1.swp"`));
    expect(await changed.exited).toBe(0);
    expect(changed.raw).toContain("Added 2 notes, removed 1 note.");
    expect(await textsOf()).toEqual(["# lives in Ulm", "likes coffee", "has a cat"]);
    expect(readdirSync(home).filter((name) => name.startsWith("edit-"))).toEqual([]);
  });

  test("opens again with what was written if that can't be saved", async () => {
    const path = editor(`if [ -s "$1" ]; then echo short > "$1"; else printf '%0600d' 0 > "$1"; fi`);
    const chat = edit(path);
    await chat.until(() => chat.raw.includes("Edit it again?"));
    expect(chat.raw).toContain("Line 1: The note has 600 characters");
    chat.type("y\r");
    expect(await chat.exited).toBe(0);
    expect(await textsOf()).toEqual(["short"]);
  });

  test("that fails changes nothing", async () => {
    const chat = edit(editor('echo x > "$1"; exit 3'));
    expect(await chat.exited).toBe(1);
    expect(chat.raw).toContain("The editor failed with exit code 3, so nothing was changed.");
    expect(await textsOf()).toEqual([]);
  });
});
