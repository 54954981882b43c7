import { expect, it } from "vitest";
import { waitNotice } from "./wait-notice.js";

it("says once that another process is answering, after two seconds of it", () => {
  const said: string[] = [];
  let now = 5_000;
  const stillWaits = waitNotice(
    () => now,
    (notice) => said.push(notice),
  );
  for (const at of [5_000, 5_200, 6_999]) {
    now = at;
    stillWaits();
  }
  expect(said).toEqual([]);
  for (const at of [7_000, 7_200, 60_000]) {
    now = at;
    stillWaits();
  }
  expect(said).toEqual(["Another process is answering in this session. Waiting until it is done."]);
});
