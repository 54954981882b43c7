import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";
import { expect, it } from "vitest";
import { Keyboard } from "./keyboard.js";
import type { KeyCommand } from "./keys.js";

function keyboard() {
  const input = new PassThrough();
  const commands: KeyCommand[] = [];
  const time = { now: 0 };
  new Keyboard(
    input as unknown as ReadStream,
    () => time.now,
    (command) => commands.push(command),
  ).start();
  const press = (keys: string) => {
    input.emit("data", Buffer.from(keys));
    return commands.splice(0);
  };
  return { press, time, input, seen: () => [...commands] };
}

it("takes a paste for text, whatever keys are in it", () => {
  const { press, time } = keyboard();
  expect(press("\u001b[200~a\r\nb\u0003\u001b[A")).toEqual([]);
  time.now = 60_000;
  expect(press("\u001b]0;x\u0007c\td\u001b[201~\r")).toEqual([
    { kind: "insert", text: "a\nbc\td" },
    { kind: "submit" },
  ]);
});

it("gets out of a paste whose end is lost", () => {
  const { press, time } = keyboard();
  press("\u001b[200~a");
  time.now = 1_001;
  expect(press("\u0003")).toEqual([{ kind: "insert", text: "a" }, { kind: "interrupt" }]);
  expect(press("b")).toEqual([{ kind: "insert", text: "b" }]);
});

it("ignores keys that mean nothing", () => {
  const { press } = keyboard();
  expect(press("\u001b[15~\u0011\u001bx\u001b[<0;1;1M\u001b[1;5P")).not.toContainEqual({ kind: "submit" });
  expect(press("é")).toEqual([{ kind: "insert", text: "é" }]);
});

it("knows Esc from the beginning of another key, and commands of two keys", async () => {
  const { press, seen } = keyboard();
  expect(press("\u001b")).toEqual([]);
  await expect.poll(() => seen(), { timeout: 30_000 }).toEqual([{ kind: "escape" }]);
  expect(press("\u001bb")).toEqual([{ kind: "escape" }, { kind: "move", to: "word left" }]);
  expect(press("\u0018\u0005\u0005")).toEqual([{ kind: "edit elsewhere" }, { kind: "move", to: "line end" }]);
  expect(press("\u0018x\u0018\u0018a")).toEqual(["x", "a"].map((text) => ({ kind: "insert", text })));
  expect(press("\u001f")).toEqual([{ kind: "undo" }]);
});

it("finds the end of a paste that comes in two pieces", async () => {
  const { input, press, seen } = keyboard();
  press("\u001b[200~a");
  const isOver = new Promise((resolve) => input.once("keypress", resolve));
  press("\u001b");
  await isOver; // It was taken for the key Esc.
  expect(press("[201~")).toEqual([{ kind: "insert", text: "a" }]);
  expect(press("\r")).toEqual([{ kind: "submit" }]);
  expect(seen()).toEqual([]);
});
