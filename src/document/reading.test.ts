import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { minimalPdf } from "../../test/support/documents.js";
import { documentReading } from "./reading.js";

const program = fileURLToPath(new URL("../../dist/document-reader.js", import.meta.url));
const never = new AbortController().signal;

function badProgram(source: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "baton-reader-")), "reader.mjs");
  writeFileSync(path, source);
  return path;
}

describe("reading a document in a process of its own", () => {
  it("returns what it says", async () => {
    const { read } = documentReading({ program });
    const found = await Promise.all([
      read(Buffer.from("plain"), never),
      read(minimalPdf(["of a PDF"]), never),
      read(Buffer.from([0, 1, 2]), never),
    ]);
    expect(found).toEqual([
      { kind: "text", text: "plain", isCut: false },
      { kind: "text", text: "of a PDF", isCut: false },
      { kind: "none", reason: "it is not a document", isDocument: false },
    ]);
  });

  it("ends one that takes too long, too much memory, says too much, or ends by itself", async () => {
    const reasonOf = async (source: string, more: { timeoutMs?: number; mostMemory?: number } = {}) => {
      const reading = documentReading({ program: badProgram(source), mostCharacters: 10, ...more });
      const found = await reading.read(Buffer.alloc(1_000_000), never);
      return found.kind === "none" && found.isDocument ? found.reason : found;
    };
    expect(await reasonOf("for (;;) {}", { timeoutMs: 50 })).toBe("reading it took too long");
    const hungry =
      "const all = []; setInterval(() => all.length < 8 && all.push(Buffer.alloc(32 * 1024 * 1024, 1)), 5);";
    expect(await reasonOf(hungry, { mostMemory: 128 * 1024 * 1024 })).toBe(
      process.platform === "linux" ? "reading it took too much memory" : "reading it took too long",
    );
    expect(await reasonOf("process.stdout.write('x'.repeat(2_000)); setInterval(() => {}, 1_000)")).toBe(
      "its text is too long",
    );
    expect(await reasonOf("process.exit(1)")).toBe("the program that reads it failed");
  });

  it("stops if nobody waits any more", async () => {
    const end = new AbortController();
    const reading = documentReading({ program: badProgram("setInterval(() => {}, 1_000)") });
    const read = reading.read(Buffer.from("x"), end.signal);
    end.abort();
    expect(await read).toMatchObject({ kind: "none", reason: "nobody waits for it any more" });
    expect(await reading.read(Buffer.from("x"), end.signal)).toMatchObject({ kind: "none" });
  });
});
