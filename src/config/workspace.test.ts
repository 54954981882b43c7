import { describe, expect, it } from "vitest";
import { usualWorkdir } from "./workspace.js";

const home = "/home/ann";
const own = "/home/ann/.baton";

describe("where the agent works if nothing says so", () => {
  it.each([
    "/home/ann/src/project",
    "/srv/app",
    "/tmp/x",
    "/home/ann/.baton-notes",
    "/home/anna",
    "/usrlocal",
  ])("in the folder where Baton was started: %s", (folder) =>
    expect(usualWorkdir(folder, own, home)).toBe(folder),
  );

  it.each([
    "/home/ann",
    "/home",
    "/",
    "/home/ann/.baton",
    "/home/ann/.baton/media",
    "/etc",
    "/usr/lib/x",
    "/proc",
  ])("in the workspace, where that would be %s", (folder) =>
    expect(usualWorkdir(folder, own, home)).toBe("/home/ann/baton-workspace"),
  );
});
