import { expect, it } from "vitest";
import { plainOutput } from "./plain-output.js";

it("takes out colours, titles and moves of the cursor", () => {
  const text =
    "\u001b[1;31mred\u001b[0m \u001b]0;a title\u0007plain\u001b[2K\u001b(B \u001b]8;;http://x\u001b\\link";
  expect(plainOutput(text)).toBe("red plain link");
});

it("waits for the rest of a sequence at the end", () => {
  expect(plainOutput("ready\u001b[3")).toBe("ready");
  expect(plainOutput("ready\u001b")).toBe("ready");
  expect(plainOutput("ready\u001b]0;half a ti")).toBe("ready");
});

it("shows the last state of a line that was written over", () => {
  expect(plainOutput("10 %\r50 %\r100 %\r\ndone\r\n")).toBe("100 %\ndone\n");
});

it("keeps tabs and letters of all kinds, and no other control characters", () => {
  expect(plainOutput("a\tb\u0000\u0008\u009b é 🎵")).toBe("a\tb é 🎵");
});
