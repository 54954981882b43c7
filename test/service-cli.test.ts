/** `baton service`, with a `systemctl` that writes down what it is told. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";

/** Where `baton` is found. */
const OURS = fileURLToPath(new URL("support/bin", import.meta.url));

/** A home with a `systemctl` before all others on the PATH, which exits as told; and without one. */
function machine(exit: number | null) {
  const home = makeHome();
  const bin = join(home, "..", "bin");
  mkdirSync(bin);
  const told = join(home, "..", "told");
  writeFileSync(told, "");
  if (exit !== null) {
    const script = `#!/bin/sh\necho "$@" >> '${told}'\necho 'no bus' >&2\nexit ${exit}\n`;
    writeFileSync(join(bin, "systemctl"), script, { mode: 0o700 });
  }
  const unit = join(home, "..", ".config", "systemd", "user", "baton.service");
  const run = (...words: string[]) => baton(home, ["service", ...words], { env: { PATH: `${bin}:${OURS}` } });
  return { home, unit, run, told: () => readFileSync(told, "utf8").trimEnd().split("\n") };
}

describe.runIf(process.platform === "linux").concurrent("baton service", () => {
  test("install writes the unit, enables and starts it; again is no harm; uninstall takes it away", async () => {
    const { home, unit, run, told } = machine(0);
    const installed = await run("install");
    expect(installed.code).toBe(0);
    expect(installed.stdout).toContain(`Wrote ${unit}.\nThe service is installed and started.`);
    expect(installed.stderr).toContain("No chat platform is set up yet");
    const text = readFileSync(unit, "utf8");
    expect(text).toContain(`"BATON_HOME=${home}"`);
    expect(text).toMatch(new RegExp(`^ExecStart="${process.execPath}" ".*/dist/main\\.js" gateway$`, "m"));
    expect(told()).toEqual(["--user daemon-reload", "--user enable --now baton.service"]);
    expect((await run("status", "--json")).stdout).toContain('"active": true');

    expect(JSON.parse((await run("install", "--json")).stdout)).toEqual({ file: unit, started: true });
    expect(readFileSync(unit, "utf8")).toBe(text);
    expect((await run("uninstall")).stdout).toBe(`Stopped the service and deleted ${unit}.\n`);
    expect(told().at(-1)).toBe("--user disable --now baton.service");
    expect(existsSync(unit)).toBe(false);
    expect(await run("uninstall")).toMatchObject({ code: 1, stdout: "" });
    expect((await run("status")).stderr).toContain(
      "No service is installed. Run `baton service install` to install it.",
    );
  });

  test("--print writes nothing and runs nothing", async () => {
    const { unit, run, told } = machine(0);
    const printed = await run("install", "--print");
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout).toContain("[Service]");
    expect(existsSync(dirname(unit))).toBe(false);
    expect(told()).toEqual([""]);
  });

  test.each([
    ["is not there", null, "systemctl is not installed"],
    ["fails", 1, "no bus"],
  ])("where systemctl %s, the unit is there and the rest is said", async (_, exit, why) => {
    const { unit, run } = machine(exit);
    const installed = await run("install");
    expect(installed.code).toBe(0);
    expect(installed.stdout).toContain(
      `The service could not be started: ${why}. Start it with: systemctl --user daemon-reload && systemctl --user enable --now baton.service`,
    );
    expect(existsSync(unit)).toBe(true);
    expect((await run("status")).stderr).toContain("is installed but not running");
    expect((await run("uninstall")).stdout).toContain(`The service could not be stopped: ${why}.`);
    expect(existsSync(unit)).toBe(false);
  });

  test("what somebody else wrote stays, and so does a home whose secrets lie open", async () => {
    const { home, unit, run } = machine(0);
    writeFileSync(join(home, "environment"), "TOKEN=x\n", { mode: 0o644 });
    const open = await run("install");
    expect(open.stderr).toContain(`Make it private first: chmod 600 ${join(home, "environment")}`);
    expect(existsSync(unit)).toBe(false);
    chmodSync(join(home, "environment"), 0o600);

    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, "[Unit]\nDescription=mine\n");
    for (const verb of ["install", "uninstall", "status"]) {
      const refused = await run(verb);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain(
        `Baton did not write ${unit}, so it leaves the file alone. Move it away first`,
      );
    }
    expect(readFileSync(unit, "utf8")).toBe("[Unit]\nDescription=mine\n");
    expect(statSync(unit).isFile()).toBe(true);
  });
});
