/** What commands left in /tmp goes after a day; nothing else does, whatever they left there. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSandbox } from "./open-sandbox.js";
import type { Walls } from "./sandbox.js";
import { sweepTemporary } from "./sweep.js";

let root: string;
let walls: Walls;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "baton-sweep-")));
  for (const name of ["tmp", "work", "outside"]) mkdirSync(join(root, name));
  for (const name of ["work", "outside"]) writeFileSync(join(root, name, "precious"), "");
  const [temporary, path] = [join(root, "tmp"), "/usr/bin:/bin"];
  walls = { folders: [join(root, "work")], hidden: [], home: root, path, temporary, network: false };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const isThere =
  (
    await openSandbox({
      folders: [],
      hidden: [],
      home: "/nonexistent",
      path: "/usr/bin:/bin",
      temporary: tmpdir(),
      network: false,
    })
  ).sandbox !== null;
const all = () => Date.now() + 60_000;

it.runIf(isThere)("all that is old goes, and no link leads out", async () => {
  mkdirSync(join(walls.temporary, "build/deep"), { recursive: true });
  writeFileSync(join(walls.temporary, "build/deep/file"), "");
  writeFileSync(join(walls.temporary, "-rf \n$(touch gotcha)"), "");
  symlinkSync(join(root, "outside"), join(walls.temporary, "link"));
  await sweepTemporary(walls, all());
  expect(readdirSync(walls.temporary)).toEqual([]);
  for (const name of ["work", "outside"]) expect(readdirSync(join(root, name))).toEqual(["precious"]);
});

it.runIf(isThere)("a folder that nobody may open goes the next time", async () => {
  mkdirSync(join(walls.temporary, "shut/inner"), { recursive: true });
  chmodSync(join(walls.temporary, "shut"), 0);
  await sweepTemporary(walls, all());
  await sweepTemporary(walls, all());
  expect(readdirSync(walls.temporary)).toEqual([]);
});

it("what was changed within a day stays", async () => {
  writeFileSync(join(walls.temporary, "fresh"), "");
  await sweepTemporary(walls);
  expect(readdirSync(walls.temporary)).toEqual(["fresh"]);
});
