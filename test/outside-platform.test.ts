/** A package of somebody else's brings a platform to the command line: one module in a folder. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { baton, makeHome } from "./support/baton.js";

const PAPER = `
export default ({ registerPlatform, manifest, secret, choice, ConnectError }) =>
  registerPlatform("paper", manifest({
    title: "Paper",
    settings: {
      pen: secret({
        description: "What it writes with.",
        variable: "PAPER_PEN",
        question: { ask: "The pen", looks: /^\\w+$/, hint: "One word." },
      }),
      ink: choice(["black", "blue"], "black", { description: "Its colour." }),
    },
    steps: ["Take a sheet."],
    check: async ({ pen }) => {
      if (pen === "chalk") throw new ConnectError("permanent", "Nobody writes on paper with chalk.");
      return { who: "a sheet of paper", next: ["Sharpen the pen."] };
    },
    open: async ({ pen }) => { throw new Error("the " + pen() + " is blunt"); },
  }));
`;

let home: string;
beforeEach(() => {
  home = makeHome();
  mkdirSync(join(home, "platforms"), { mode: 0o700 });
});
const write = (name: string, text: string) =>
  writeFileSync(join(home, "platforms", name), text, { mode: 0o600 });

describe("a module in the platforms folder", () => {
  test("has its settings, variables and set-up", async () => {
    write("paper.mjs", PAPER);
    const env = { PAPER_PEN: "quill-canary", BATON_PLATFORMS_PAPER_INK: "blue" };
    const shown = await baton(home, ["config", "show"], { env });
    expect(shown.stdout).toMatch(/platforms\.paper\.ink +blue +.*BATON_PLATFORMS_PAPER_INK/);
    expect(shown.stdout).toMatch(/platforms\.paper\.pen +\*\*\* +.*PAPER_PEN/);
    expect(shown.stdout + shown.stderr).not.toContain("canary");
    const right = await baton(home, ["setup", "paper", "--yes"], { env });
    expect(right).toMatchObject({
      code: 0,
      stdout: "Paper: connected as a sheet of paper.\nSharpen the pen.\n",
    });
    const wrong = await baton(home, ["setup", "paper", "--yes"], { env: { PAPER_PEN: "chalk" } });
    expect(wrong.stderr).toContain("Nobody writes on paper with chalk.");
    const mistaken = await baton(home, ["config", "check"], { env: { BATON_PLATFORMS_PAPER_INK: "red" } });
    expect(mistaken).toMatchObject({ code: 1, stdout: expect.stringContaining("use black or blue.") });
  });

  test("that fails, or that others can change, is named, and the rest goes on", async () => {
    write("broken.mjs", "throw new Error('out of order')");
    write("empty.mjs", "export const nothing = 1;");
    write("paper.mjs", PAPER);
    chmodSync(join(home, "platforms", "paper.mjs"), 0o666);
    const { code, stdout, stderr } = await baton(home, ["config", "show"]);
    expect(code).toBe(0);
    expect(stdout).toContain("platforms.telegram.token");
    expect(stdout).not.toContain("platforms.paper");
    expect(stderr).toMatch(/broken\.mjs brings no platform: out of order\./);
    expect(stderr).toMatch(/empty\.mjs brings no platform: it has no function as its default export\./);
    expect(stderr).toMatch(/paper\.mjs brings no platform: other users can change .*chmod go-w/);
  });

  test("is not needed", async () => {
    rmSync(join(home, "platforms"), { recursive: true });
    expect(await baton(home, ["config", "show"])).toMatchObject({ code: 0, stderr: "" });
  });
});
