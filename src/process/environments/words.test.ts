import { expect, test } from "vitest";
import { apptainerEnvironment } from "./apptainer.js";
import { containerEnvironment } from "./container.js";
import { sshEnvironment } from "./ssh.js";

const common = { name: "box", workdir: null, variables: {}, home: "/home/ann/.baton" };
const build = { ...common, host: "build", port: null, configFile: null };
const limits = { memory: "1g", cpus: 1, pids: 100 };

test("what a person approves says what a command can reach there: another mount is another place", () => {
  const box = { ...common, ...limits, program: "podman", image: "debian:12", network: null, mounts: [] };
  const places = [
    containerEnvironment(box),
    containerEnvironment({ ...box, mounts: ["/home/ann/data:/data"] }),
    containerEnvironment({ ...box, network: "none" }),
    containerEnvironment({ ...box, program: "docker" }),
    apptainerEnvironment({ ...common, program: "apptainer", image: "x.sif", mounts: [] }),
    apptainerEnvironment({ ...common, program: "apptainer", image: "x.sif", mounts: ["/a:/b:ro"] }),
    sshEnvironment(build),
    sshEnvironment({ ...build, port: 22 }),
    sshEnvironment({ ...build, configFile: "/home/ann/ssh" }),
  ].map(({ where }) => where);
  expect(new Set(places).size).toBe(places.length);
  expect(places[1]).toBe("in a container of debian:12 by podman, with /home/ann/data:/data");
});

test("a command that is too long for ssh is refused before anybody signs in", async () => {
  const { launch } = sshEnvironment({ ...build, host: "nowhere.invalid" });
  await expect(launch(": ".repeat(100_000), null, "background")).rejects.toThrow(
    "the command is too long for ssh. Write it to a file there and run that.",
  );
});
