import { PassThrough, Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { givenWords, piped, withPiped } from "./one-shot-text.js";

describe("the words of a question", () => {
  it("are the arguments, or --message, and not both", () => {
    expect(givenWords([], undefined)).toBeNull();
    expect(givenWords(["review", "this"], undefined)).toBe("review this");
    expect(givenWords([], "hi")).toBe("hi");
    expect(() => givenWords(["hi"], "hi")).toThrow("Give the message once");
  });

  it('"-" at the end stands for the input', () => {
    expect(givenWords(["-"], undefined)).toBeNull();
    expect(givenWords(["review", "-"], undefined)).toBe("review");
    expect(givenWords(["-"], "review")).toBe("review");
    expect(givenWords(["1", "-", "2"], undefined)).toBe("1 - 2");
  });
});

describe("words and piped text", () => {
  it("the words come first, then the text in a fence", () => {
    expect(withPiped("review this", "diff --git\n+a\n")).toBe(
      "review this\n\nPiped input:\n```\ndiff --git\n+a\n```",
    );
    expect(withPiped("", " only this\n")).toBe("only this");
    expect(withPiped("hi", "\n")).toBe("hi");
    expect(withPiped("hi", null)).toBe("hi");
  });

  it("nothing in the text closes the fence", () => {
    const text = fc.array(fc.constantFrom("`", "``", "\n", "a", "```\n", " "), { maxLength: 30 });
    fc.assert(
      fc.property(text, (parts) => {
        const whole = withPiped("q", `x${parts.join("")}x`);
        const [, fence = ""] = /\n(`{3,})\n/.exec(whole) ?? [];
        expect(whole.split(fence).length).toBe(3);
      }),
    );
  });
});

describe("the input", () => {
  const pipe = (...pieces: (string | Buffer)[]) => Readable.from(pieces.map((each) => Buffer.from(each)));

  it("is read to its end, as text that somebody could have typed", async () => {
    const letters = Buffer.from("ü\n");
    expect(await piped(pipe("  a\r\nb\u001b[31m\n", letters.subarray(0, 1), letters.subarray(1)), null)).toBe(
      "  a\nb\nü\n",
    );
    expect(await piped(pipe(), null)).toBe("");
  });

  it("is not waited for if nothing comes in time", async () => {
    expect(await piped(new PassThrough(), 1)).toBeNull();
  });

  it("is waited for once it has begun", async () => {
    const input = new PassThrough();
    input.write("slow ");
    const text = piped(input, 20);
    await new Promise((resolve) => input.once("pause", resolve).once("resume", resolve));
    input.end("but whole");
    expect(await text).toBe("slow but whole");
  });

  it("is refused if it is too long or no text, with what to do", async () => {
    await expect(piped(pipe("x".repeat(11)), null, 10)).rejects.toThrow(
      "longer than 10 characters. Send a part",
    );
    await expect(piped(pipe(...Array(50).fill("x")), null, 10)).rejects.toThrow("--attach");
    await expect(piped(pipe("PNG\0"), null)).rejects.toThrow("is not text");
    expect(await piped(pipe("ü".repeat(10)), null, 10)).toBe("ü".repeat(10));
  });
});
