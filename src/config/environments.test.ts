import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { clientEnvironment, readEnvironment } from "./environment.js";
import { loadConfig } from "./load.js";

const home = mkdtempSync(join(tmpdir(), "baton-environments-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function load(text: string) {
  writeFileSync(join(home, "config.yaml"), text, { mode: 0o600 });
  return loadConfig(readEnvironment({ BATON_HOME: home }), home);
}

const refusal = (text: string) =>
  load(text).then(
    () => expect.unreachable("it was accepted"),
    (error: Error) => error.message.replace(/^.*?config\.yaml:/s, ""),
  );

test("each kind, with what holds if nobody sets it", async () => {
  const { environments, tools } = await load(`environments:
  build: { kind: ssh, host: ann@build.example, workdir: ~/work }
  box: { kind: docker, image: debian, program: podman, memory: 512m, mounts: [~/data:/data:ro] }
  hpc: { kind: apptainer, image: /images/a.sif }
  mine: { kind: apptainer, image: ~/images/b.sif, program: singularity }
  far: { kind: apptainer, image: "docker://debian" }
tools: { terminal: { environment: box } }
`);
  expect(environments).toEqual({
    build: { kind: "ssh", host: "ann@build.example", port: null, configFile: null, workdir: "~/work" },
    box: {
      ...{ kind: "docker", image: "debian", program: "podman", memory: "512m", cpus: 2, pids: 512 },
      ...{ network: null, mounts: [`${homedir()}/data:/data:ro`], workdir: null },
    },
    hpc: { kind: "apptainer", image: "/images/a.sif", program: "apptainer", mounts: [], workdir: null },
    mine: {
      ...{ kind: "apptainer", image: `${homedir()}/images/b.sif`, program: "singularity" },
      ...{ mounts: [], workdir: null },
    },
    far: { kind: "apptainer", image: "docker://debian", program: "apptainer", mounts: [], workdir: null },
  });
  expect(tools.terminal.environment).toBe("box");
});

test.each([
  ["environments: { build: { kind: ssh } }", "needs `host`"],
  ["environments: { build: { host: x } }", "kind"],
  ["environments: { build: { kind: ssh, host: x, image: y } }", "`image` does not go with `kind: ssh`"],
  ["environments: { build: { kind: ssh, host: -oProxyCommand=evil } }", "give a host"],
  ["environments: { box: { kind: docker, image: --privileged } }", "give the name of an image"],
  ["environments: { box: { kind: docker, image: x, mounts: [data] } }", "give <path here>:<path there>"],
  ["environments: { local: { kind: ssh, host: x } }", "this name means the machine on which Baton runs"],
  ["environments: { A_b: { kind: ssh, host: x } }", "small letters"],
  ["tools: { terminal: { environment: biuld } }", 'unknown environment "biuld". Known here: local.'],
  [
    "environments: { build: { kind: ssh, host: x } }\ntools: { terminal: { environment: biuld } }",
    'unknown environment "biuld". Did you mean "build"?',
  ],
])("%s", async (text, sentence) => {
  expect(await refusal(text)).toContain(sentence);
});

test("a client of ours gets the variables that lead to its keys and its engine, and no secret", () => {
  const secrets = {
    TELEGRAM_BOT_TOKEN: "x",
    ANTHROPIC_API_KEY: "x",
    BATON_STORE: "x",
    AWS_SECRET_ACCESS_KEY: "x",
  };
  const known = { PATH: "/bin", HOME: "/root", SSH_AUTH_SOCK: "/agent", DOCKER_HOST: "unix:///x" };
  expect(clientEnvironment({ ...secrets, ...known })).toEqual(known);
});
