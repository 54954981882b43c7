import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeLocalOutput } from "./local-output.js";

const at = Date.UTC(2026, 0, 10, 12, 30, 5, 7);
let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "baton-output-")), "cron", "output");
});
afterEach(() => rmSync(join(folder, "../.."), { recursive: true }));

const files = () => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

describe("local output", () => {
  it("is a private file with the time as its name", async () => {
    const path = await writeLocalOutput(folder, { job: "daily-news", at, text: "All is well." });
    expect(relative(folder, path)).toBe(join("daily-news", "2026-01-10T12-30-05.007Z.md"));
    expect(readFileSync(path, "utf8")).toBe("All is well.\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(files()).toEqual(["daily-news", join("daily-news", "2026-01-10T12-30-05.007Z.md")]);
  });

  it("never takes another's place, also in the same moment", async () => {
    const texts = Array.from({ length: 10 }, (_, n) => `result ${n}\n`);
    const paths = await Promise.all(texts.map((text) => writeLocalOutput(folder, { job: "j", at, text })));
    expect(new Set(paths).size).toBe(10);
    expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(texts);
    expect(files()).toHaveLength(11);
  });

  it("stays in its folder, whatever the job is called, and no two jobs share one", async () => {
    const jobs = [
      "",
      ".",
      "..",
      "../../etc",
      "a/b",
      "a_b",
      "a%2fb",
      "A",
      ".hidden",
      "x\0y",
      "\ud800",
      "ü",
      "\n",
    ];
    const long = ["x".repeat(300), `${"x".repeat(300)}y`, "ü".repeat(300)];
    const places = new Set<string>();
    for (const job of [...jobs, ...long]) {
      const path = await writeLocalOutput(folder, { job, at, text: job });
      const [place = "", file = "", ...more] = relative(folder, path).split(sep);
      expect([file, more]).toEqual(["2026-01-10T12-30-05.007Z.md", []]);
      expect(place).toMatch(/^[A-Za-z0-9_%-][A-Za-z0-9._%-]*$/);
      places.add(place);
    }
    expect(places.size).toBe(jobs.length + long.length);
  });

  it("leaves nothing half-written where it cannot be written", async () => {
    await writeLocalOutput(folder, { job: "a", at, text: "" });
    const taken = join("a", "2026-01-10T12-30-05.007Z.md");
    await expect(writeLocalOutput(join(folder, taken), { job: "b", at, text: "x" })).rejects.toThrow();
    expect(files()).toEqual(["a", taken]);
  });
});
