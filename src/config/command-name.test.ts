import { describe, expect, test } from "vitest";
import { commandName, type ProgramStart } from "./command-name.js";

const MAIN = "/src/baton/dist/main.js";
const LINKS: Record<string, string> = {
  "/usr/local/bin/baton": MAIN,
  "/src/baton/node_modules/.bin/baton": MAIN,
  "/other/bin/baton": "/other/lib/relay.js",
};

function start(given: Partial<ProgramStart>): string {
  return commandName({
    script: MAIN,
    main: MAIN,
    path: "/usr/bin:/bin",
    npmEvent: null,
    workingFolder: "/home/me",
    realPath: (file) => LINKS[file] ?? null,
    ...given,
  });
}

describe("how the person calls Baton", () => {
  test("baton, if the first one in the PATH is this one", () => {
    expect(start({ path: "/usr/bin:/usr/local/bin" })).toBe("baton");
    expect(start({ path: "/usr/local/bin", npmEvent: "start" })).toBe("baton");
    expect(start({ path: "/other/bin:/usr/local/bin", npmEvent: "start" })).toBe("npx baton");
  });

  test("npx baton, if npm started it: npm's own folders are not in the person's PATH", () => {
    const path = "/src/baton/node_modules/.bin:/usr/bin";
    for (const npmEvent of ["start", "npx"]) expect(start({ path, npmEvent })).toBe("npx baton");
    const main = "/home/me/.npm/_npx/39a/node_modules/baton-gateway/dist/main.js";
    expect(start({ main, npmEvent: "npx" })).toBe("npx baton-gateway");
  });

  test("else as it was started, from the working folder if it is below", () => {
    expect(start({ workingFolder: "/src/baton" })).toBe("node dist/main.js");
    expect(start({ workingFolder: null })).toBe(`node ${MAIN}`);
    expect(start({ path: "" })).toBe(`node ${MAIN}`);
    expect(start({ script: "/opt/my tools/baton" })).toBe("'/opt/my tools/baton'");
    expect(start({ npmEvent: "test" })).toBe(`node ${MAIN}`);
  });
});
