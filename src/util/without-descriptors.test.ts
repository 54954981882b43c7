import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { canCloseDescriptors, withoutDescriptors } from "./without-descriptors.js";

test.runIf(canCloseDescriptors())(
  "no settings of a shell are read, though its input is a socket",
  async () => {
    const home = mkdtempSync(join(tmpdir(), "baton-settings-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    writeFileSync(join(home, ".bashrc"), "echo from the settings");
    const [file, ...args] = withoutDescriptors("/bin/echo", ["-n", "a $b"]);
    const child = spawn(file, args, { env: { HOME: home }, stdio: ["pipe", "pipe", "inherit"] });
    const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect(said).toBe("a $b");
  },
);
