import { expect, test } from "vitest";
import { processFinding } from "./finding.js";
import type { Surroundings } from "./surroundings.js";

const free: Surroundings = { kind: "free" };
const container: Surroundings = { kind: "container" };
const CAN = "programs can have a terminal";

test.each([
  [null, true, free, "ok", `no process host runs; processes outlive the gateway; ${CAN}`],
  [
    { running: 1, endsWithService: false },
    true,
    free,
    "ok",
    `1 process runs; processes outlive the gateway; ${CAN}`,
  ],
  [
    { running: 2, endsWithService: true },
    true,
    free,
    "warning",
    `2 processes run; processes end with the service, because systemd gave them no scope of their own; ${CAN}`,
  ],
  [null, true, container, "ok", `no process host runs; processes end with the container; ${CAN}`],
  [
    { running: 0, endsWithService: true },
    true,
    container,
    "hint",
    `0 processes run; processes end with the container; ${CAN}`,
  ],
  [
    { running: 3, endsWithService: false },
    false,
    free,
    "hint",
    "3 processes run; processes outlive the gateway; programs have no terminal, only pipes",
  ],
] as const)("%j, with a PTY: %s, in %j", (host, hasPty, here, status, finding) => {
  const found = processFinding(host, hasPty, here);
  expect(found).toMatchObject({ check: "processes", status, finding });
  expect("fix" in found).toBe(status !== "ok");
});
