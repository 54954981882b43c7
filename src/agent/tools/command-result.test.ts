import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandOutcome, commandResult } from "./command-result.js";

/** Output that looks like what is written around it. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "Exit code 0.",
        "Exit code 1.",
        "\n\n",
        "\n",
        "(",
        ")",
        "(a) ",
        "(no output)",
        "Error: not run",
        " ",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const others = fc.subarray(["Something that it started is still running."]);

describe("the result of a command", () => {
  it("is read back as it was written, whatever the command printed", () => {
    fc.assert(
      fc.property(hostile, fc.nat(255), others, (printed, code, more) => {
        const read = { code, printed: printed === "(no output)" ? "" : printed };
        expect(commandOutcome(commandResult([null, `Exit code ${code}.`, ...more], printed))).toEqual(read);
      }),
    );
  });

  it("has no code unless the command ended by itself, whatever it printed", () => {
    const ends = [
      ["Killed by SIGTERM."],
      ["Timed out after 5 s.", "Exit code 0."],
      ["Stopped.", "Killed by SIGKILL."],
    ];
    fc.assert(
      fc.property(hostile, fc.constantFrom(...ends), (printed, sentences) => {
        expect(commandOutcome(commandResult(sentences, printed))?.code).toBeNull();
      }),
    );
  });

  it("is no success of a command that did not run, whatever the reason says", () => {
    fc.assert(
      fc.property(hostile, (why) => {
        expect(commandOutcome(`Error: not run: ${why}`)?.code ?? null).toBeNull();
      }),
    );
    expect(commandOutcome("Error: not run, because the turn was stopped.")).toBeNull();
  });

  it("is read after a note about who allowed it", () => {
    const result = commandResult(["Exit code 3."], "x");
    expect(commandOutcome(`(Ann allowed it.) ${result}`)).toEqual({ code: 3, printed: "x" });
  });

  it("takes linear time to read", () => {
    expect(commandOutcome("(".repeat(1_000_000))).toBeNull();
    expect(commandOutcome(`${"(a) ".repeat(250_000)}\n`)).toBeNull();
  });
});
