/** Long input for a program on a PTY that does not read yet. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostOfTest } from "../../../test/support/process-registry.js";
import { pty } from "../../../test/terminal/pty-chat.js";

test.skipIf(!pty)(
  "a long text comes whole and in order, though the program reads it only later",
  async () => {
    const { client, folder, spawn, outputOf } = hostOfTest();
    const text = Array.from({ length: 25_000 }, (_, n) => `${String(n).padStart(7, "0")}\n`).join("");
    const reads = `head -c ${text.length} | sha256sum`;
    const { id } = await spawn(
      `stty raw -echo; echo ready; until [ -e go ]; do sleep 0.02; done; ${reads}; exec sleep 600`,
      { cwd: folder, pty: { cols: 80, rows: 24 } },
    );
    await expect.poll(() => outputOf(id)).toContain("ready");
    await client.request("write", { id, text }); // More than any terminal holds: most of it must wait.
    writeFileSync(`${folder}/go`, "");
    const hash = createHash("sha256").update(text).digest("hex");
    await expect.poll(() => outputOf(id)).toContain(hash);
  },
);
