import { expect, test } from "vitest";
import { BatonError } from "../session/errors.js";
import { hostProblem, processFinding } from "./finding.js";

const CAN = "programs can have a terminal";

test.each([
  [null, true, false, "ok", `no process host runs; ${CAN}`],
  [
    { running: 1, endsWithService: false },
    true,
    false,
    "ok",
    `1 process runs; processes outlive the gateway; ${CAN}`,
  ],
  [
    { running: 2, endsWithService: true },
    true,
    false,
    "warning",
    `2 processes run; processes end with the service, because systemd gave them no scope of their own; ${CAN}`,
  ],
  [null, false, false, "hint", "no process host runs; programs have no terminal, only pipes"],
  [null, true, true, "ok", `no process host runs; processes end with the container; ${CAN}`],
  [
    { running: 0, endsWithService: true },
    true,
    true,
    "hint",
    `0 processes run; processes end with the container; ${CAN}`,
  ],
  [
    { running: 3, endsWithService: false },
    false,
    false,
    "hint",
    "3 processes run; processes outlive the gateway; programs have no terminal, only pipes",
  ],
] as const)("%j, with a PTY: %s, in a container: %s", (host, hasPty, isContainer, status, finding) => {
  const found = processFinding(host, hasPty, isContainer);
  expect(found).toMatchObject({ check: "processes", status, finding });
  expect("fix" in found).toBe(status !== "ok");
});

test.each([
  ["process_host_version", /when those processes have ended$/],
  ["process_host_unavailable", /^do that, then/],
  ["process_host_failed", /host\.log/],
  ["process_host_lost", /^run `baton doctor` again$/],
] as const)("a host that can't be asked: %s has a fix of its own", (code, fix) => {
  const finding = "What is wrong.";
  expect(hostProblem(new BatonError(code, finding))).toMatchObject({ status: "warning", finding });
  expect(hostProblem(new BatonError(code, finding))).toMatchObject({ fix: expect.stringMatching(fix) });
});
