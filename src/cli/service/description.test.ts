/** The files that describe the service: what they say is what is run, whatever the paths are called. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Service } from "./description.js";
import { launchdPlist } from "./launchd.js";
import { systemdUnit } from "./systemd.js";

const plain: Service = {
  node: "/usr/bin/node",
  main: "/opt/baton/dist/main.js",
  home: "/home/ann/.baton",
  userHome: "/home/ann",
  path: "/usr/local/bin:/usr/bin:/bin",
};

const hostilePath = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(
        " ",
        "%",
        "%h",
        "$",
        "$HOME",
        "${",
        '"',
        "'",
        "\\",
        "\\n",
        "`",
        ";",
        "&",
        "<",
        ">",
        "]]>",
        "-",
        "#",
        "=",
      ),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    ),
  })
  .filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text))
  .map((text) => `/${text}`);
const services = fc.record({
  node: hostilePath,
  main: hostilePath,
  home: hostilePath,
  userHome: hostilePath,
  path: hostilePath,
});

function lineOf(unit: string, name: string): string {
  const lines = unit.split("\n").filter((line) => line.startsWith(`${name}=`));
  expect(lines).toHaveLength(1);
  return lines[0]?.slice(name.length + 1) ?? "";
}

/** The words of a line as systemd takes them apart: quotes, then escapes, then specifiers. */
function wordsOf(line: string): string[] {
  const quoted = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/gu)];
  return quoted.map(([, inside, bare = ""]) => specified((inside ?? bare).replace(/\\(.)/gu, "$1")));
}

function specified(text: string): string {
  return text.replace(/%(.)?/gu, (_, letter) => {
    expect(letter).toBe("%");
    return "%";
  });
}

describe("the systemd unit", () => {
  test("runs the gateway by absolute paths, restarts it with measure, and holds no secret", () => {
    const unit = systemdUnit(plain);
    expect(lineOf(unit, "ExecStart")).toBe('"/usr/bin/node" "/opt/baton/dist/main.js" gateway');
    expect(lineOf(unit, "EnvironmentFile")).toBe("-/home/ann/.baton/environment");
    expect(lineOf(unit, "Restart")).toBe("on-failure");
    expect(lineOf(unit, "StartLimitBurst")).toBe("5");
    expect(lineOf(unit, "WantedBy")).toBe("default.target");
    expect(unit.split("\n").filter((line) => line.startsWith("["))).toEqual([
      "[Unit]",
      "[Service]",
      "[Install]",
    ]);
  });

  test("says what was meant, whatever the paths are called", () => {
    fc.assert(
      fc.property(services, (hostile) => {
        const service = { ...hostile, node: hostile.node.replace(/["'\\]/g, "") };
        const unit = systemdUnit(service);
        const [program, main, ...rest] = wordsOf(lineOf(unit, "ExecStart"));
        expect([program, main?.replaceAll("$$", "$"), rest]).toEqual([
          service.node,
          service.main,
          ["gateway"],
        ]);
        expect(main?.replaceAll("$$", "")).not.toContain("$");
        expect(wordsOf(lineOf(unit, "Environment"))).toEqual([
          `BATON_HOME=${service.home}`,
          `PATH=${service.path}`,
        ]);
        expect(specified(lineOf(unit, "EnvironmentFile"))).toBe(`-${service.home}/environment`);
        expect(unit.split("\n")).toHaveLength(systemdUnit(plain).split("\n").length);
      }),
    );
  });
});

test("systemd itself refuses quotes and backslashes in a program's path, so we do", () => {
  for (const character of ['"', "'", "\\"]) {
    expect(() => systemdUnit({ ...plain, node: `/a${character}b/node` })).toThrow(
      "systemd can't run a program",
    );
  }
});

describe("the launchd plist", () => {
  const stringsIn = (plist: string) =>
    [...plist.matchAll(/<string>(.*?)<\/string>/gs)].map(([, text = ""]) =>
      text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
    );

  test("says what was meant, whatever the paths are called", () => {
    fc.assert(
      fc.property(services, (service) => {
        const plist = launchdPlist(service);
        const [label, sh, c, , zero, node, main, verb, home, path, userHome] = stringsIn(plist);
        expect([label, sh, c, zero, verb]).toEqual(["baton.gateway", "/bin/sh", "-c", "baton", "gateway"]);
        expect({ node, main, home, userHome, path }).toEqual(service);
        expect(plist.match(/<key>/g)).toHaveLength(launchdPlist(plain).match(/<key>/g)?.length ?? 0);
      }),
    );
  });

  test.each([true, false])(
    "runs the program with the variables of the file, where there is one: %s",
    (present) => {
      const root = mkdtempSync(join(tmpdir(), "baton-service-"));
      const folder = join(root, `a $(touch x) 'b' "c" %d\\`);
      mkdirSync(folder);
      const node = join(folder, "no de");
      writeFileSync(node, '#!/bin/sh\nprintf "%s|" "$@" "$BATON_HOME" "$TOKEN"\n');
      chmodSync(node, 0o700);
      if (present) writeFileSync(join(folder, "environment"), "TOKEN='a b'\n");
      const [, ...words] = stringsIn(
        launchdPlist({ ...plain, node, main: `${folder}/main.js`, home: folder }),
      );
      const [sh = "", ...args] = words.slice(0, 7);
      const said = execFileSync(sh, args, { cwd: root, env: { BATON_HOME: folder }, encoding: "utf8" });
      expect(said).toBe(`${folder}/main.js|gateway|${folder}|${present ? "a b" : ""}|`);
      rmSync(root, { recursive: true });
    },
  );
});

test.each(["\n", "\r", "\0", "\u001b", "\u0085", "\u2028", "\ud800"])(
  "a path that no file can hold is refused: %j",
  (character) => {
    for (const key of ["node", "main", "home", "userHome", "path"]) {
      const service = { ...plain, [key]: `/a${character}ExecStart=evil` };
      for (const describe of [systemdUnit, launchdPlist]) {
        expect(() => describe(service)).toThrow("contains a control character");
      }
    }
  },
);
