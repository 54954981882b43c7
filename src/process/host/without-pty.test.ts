/** A machine on which the optional package is not installed. */
import { expect, test, vi } from "vitest";
import { helloOf } from "../../../test/support/process-host.js";
import { hostOfTest } from "../../../test/support/process-registry.js";

vi.mock("@lydell/node-pty", () => {
  throw new Error("It is not installed.");
});

test("a program that asks for a terminal gets pipes, and the status says so", async () => {
  const made = hostOfTest();
  await made.serve({});
  expect(await helloOf(made.client)).toMatchObject({ hasPty: false });
  const script = "[ -t 1 ] || echo no terminal; read -r line; echo got $line";
  const { id, pty } = await made.spawn(script, { pty: { cols: 80, rows: 24 } });
  expect(pty).toBeNull();
  await made.client.request("write", { id, text: "this\n" });
  expect((await made.ended(id)).end).toMatchObject({ code: 0 });
  expect(await made.outputOf(id)).toBe("no terminal\ngot this\n");
});
