/** Sentences name the command that works for the person: `baton` if it is installed, else as it was started. */
import { delimiter } from "node:path";
import { expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";

const bare = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.endsWith("test/support/bin"))
  .join(delimiter);
const byNpm = { env: { PATH: bare, npm_lifecycle_event: "start" } };

test("started by npm: answers, failures, help, lists and checks say npx baton", async () => {
  const home = makeHome();
  const said = async (...words: string[]) => {
    const { stdout, stderr } = await baton(home, words, byNpm);
    return stdout + stderr;
  };
  expect(await said("sessions", "list")).toContain("\n  npx baton doctor\n");
  expect(await said("hello")).toContain("run `npx baton setup`");
  expect(await said("chat", "/handoff")).toContain("run `npx baton gateway`");
  expect(await said("gateway")).toMatch(/^baton: .* Run `npx baton setup <platform>` .* `npx baton` to chat/);
  expect(await said("sessions", "--help")).toMatch(/^Usage: npx baton sessions /);
  const doctor = await said("doctor", "--offline");
  expect(doctor).toMatch(/baton is not on your PATH; it was started as npx baton\n\s+→ npm install -g \//);
  expect(doctor).toMatch(/→ npx baton setup\n/);
});

test("messages, tables and JSON stay as they are", async () => {
  const home = makeHome();
  await baton(home, ["`baton doctor` is a title: baton doctor"], byNpm);
  const list = await baton(home, ["sessions", "list"], byNpm);
  expect(list.stdout).toContain("is a title: baton doctor  CLI terminal");
  const [, id = ""] = /^(\d+_\d+)/m.exec(list.stdout) ?? [];
  expect((await baton(home, ["sessions", "show", id], byNpm)).stdout).toContain(
    "\n  `baton doctor` is a title: baton doctor\n",
  );
  const { stderr } = await baton(home, ["gateway", "--json"], byNpm);
  expect(stderr).not.toContain("npx");
});

test("installed: baton, also if npm started this one", async () => {
  const { stdout } = await baton(makeHome(), ["doctor", "--offline"], {
    env: { npm_lifecycle_event: "start" },
  });
  expect(stdout).toMatch(/→ baton setup\n/);
  expect(stdout).not.toMatch(/npx|npm install/);
});
