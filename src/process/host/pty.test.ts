/** What the package closes too early is read before. */
import { readFileSync } from "node:fs";
import type { IPty } from "@lydell/node-pty";
import { expect, test } from "vitest";
import { localSpec } from "../../../test/support/process-host.js";
import { hostOfTest } from "../../../test/support/process-registry.js";
import { newProcessId } from "../../session/ids.js";
import { openPty } from "./open-pty.js";
import { OutputFile } from "./output-file.js";
import { loadPty, startOnPty } from "./pty.js";

const pty = await loadPty();
if (!pty) console.warn("SKIPPED: output on a PTY, because none can be made here");

function hasEnded(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true; // The package has taken note already.
  }
}

test.runIf(pty && process.platform === "linux")(
  "output that was not read before the PTY is closed is kept",
  async () => {
    const { folder } = hostOfTest();
    const output = new OutputFile(`${folder}/p.out`);
    const opened: IPty[] = [];
    const noting = {
      ...pty,
      spawn: (...given: Parameters<NonNullable<typeof pty>["spawn"]>) => {
        const one = (pty as NonNullable<typeof pty>).spawn(...given);
        opened.push(one);
        return one;
      },
    } as NonNullable<typeof pty>;
    const size = { cols: 80, rows: 24 };
    const spec = { ...localSpec("seq 1 500; exit 7"), id: newProcessId(), pty: size };
    const { child, exit } = startOnPty(noting, spec, size, output, () => {});
    while (!hasEnded(child.pid)); // Nothing else runs here meanwhile, so nothing is read.
    for (const one of opened) openPty(one)._socket.destroy();
    expect(await exit).toMatchObject({ code: 7 });
    const numbers = Array.from({ length: 500 }, (_, n) => `${n + 1}\r\n`).join("");
    expect(output.read(0, 10_000, true).text).toBe(numbers);
    output.close();
  },
);
