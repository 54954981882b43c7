/** What is typed at this machine: a command, a message, or a path that is there. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localSource } from "../../session/source.js";
import { beginsCommand } from "../command-text.js";
import { inbound, takenFor } from "./terminal-source.js";

const commands = new Set(["status", "home"]);
const isThere = (path: string) => ["/tmp", "/home", "/Volumes"].includes(path);
const taken = (text: string) => takenFor(text, commands, isThere);

describe("a text that is typed at this machine", () => {
  it.each([
    ["/tmp is full, why?", "text"],
    [" /tmp, is it full?", "text"],
    ["/Volumes", "text"],
    ["/home", "command"], // It is both.
    ["/STATUS now", "command"],
    ["/stauts", "command"],
    ["/tmp2", "command"],
    ["/etc/hosts is wrong", "message"],
    ["is /tmp full?", "message"],
  ] as const)("%j is a %s", (text, as) => {
    expect(taken(text)).toBe(as);
  });

  it("is a command in no case in which it would not be one in a chat", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."/tmp st.\n,") }), (text) => {
        expect(taken(text) === "message").toBe(!beginsCommand(text));
      }),
    );
  });

  it("says what it was taken for, so that nobody looks again", () => {
    const source = localSource();
    expect(inbound("/tmp", "text", source)).toMatchObject({ kind: "message", isText: true });
    expect(inbound("/tmp", "command", source)).not.toHaveProperty("isText");
  });
});
