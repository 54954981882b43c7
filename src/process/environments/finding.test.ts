/** The programs are stand-ins that write down their words, and answer as the test says. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EnvironmentConfig } from "../../util/environment-config.js";
import { environmentFinding } from "./finding.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-environment-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho "$@" > ${folder}/told\n${script}\n`);
  chmodSync(file, 0o700);
}

const told = () => readFileSync(join(folder, "told"), "utf8").trimEnd();
const lookAt = (config: EnvironmentConfig) =>
  environmentFinding({ ...config, name: "box", home: folder, variables: { PATH: folder } });

const ssh: EnvironmentConfig = { kind: "ssh", host: "build", port: 2_222, configFile: null, workdir: null };
const docker: EnvironmentConfig = {
  ...{ kind: "docker", program: "podman", image: "debian", memory: "1g", cpus: 1, pids: 99 },
  ...{ network: null, mounts: [], workdir: null },
};
const apptainer = (image: string): EnvironmentConfig => ({
  ...{ kind: "apptainer", program: "apptainer", image, mounts: [], workdir: null },
});

test.each([ssh, docker, apptainer("/x")])("a program that is missing is named: %j", async (config) => {
  expect(await lookAt(config)).toMatchObject({
    check: "environment box",
    status: "warning",
    finding: expect.stringMatching(/^(?:ssh|podman|apptainer) can't be found$/),
    fix: "install it, or correct `environments.box` in config.yaml",
  });
});

test("another machine that answers, and one that does not", async () => {
  program("ssh", "exit 0");
  expect(await lookAt(ssh)).toEqual({ check: "environment box", status: "ok", finding: "ssh reaches build" });
  expect(told()).toContain("BatchMode=yes");
  expect(told()).toMatch(/^-o ControlPath=none .* -p 2222 -T -- build exit 0$/);
  program("ssh", "echo hello >&2; echo 'build: Permission denied (publickey).' >&2; exit 255");
  expect(await lookAt(ssh)).toEqual({
    check: "environment box",
    status: "warning",
    finding: "build: Permission denied (publickey).",
    fix: "run `ssh -p 2222 build` to see more, or correct `environments.box` in config.yaml",
  });
});

test("an engine that answers, and one that fails without a word", async () => {
  program("podman", "exit 0");
  const finding = "podman answers; commands run in containers of debian";
  expect(await lookAt(docker)).toMatchObject({ status: "ok", finding });
  expect(told()).toBe("version");
  program("podman", "exit 7");
  expect(await lookAt(docker)).toMatchObject({
    status: "warning",
    finding: "it failed with code 7",
    fix: expect.stringMatching(/^run `podman version` to see more/),
  });
});

test("an image that is there, one that is not, and one from elsewhere", async () => {
  program("apptainer", "exit 0");
  const image = join(folder, "tools.sif");
  expect(await lookAt(apptainer(image))).toMatchObject({
    status: "warning",
    finding: `there is no image ${image}`,
    fix: "put it there, or correct `environments.box` in config.yaml",
  });
  writeFileSync(image, "");
  expect(await lookAt(apptainer(image))).toMatchObject({ status: "ok" });
  expect(await lookAt(apptainer("docker://debian"))).toMatchObject({ status: "ok" });
});
