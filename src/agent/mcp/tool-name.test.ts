import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolName } from "./tool-name.js";

const NONE = new Set<string>();

describe("a tool's name", () => {
  it("is the server's and its own, where a model takes that", () => {
    expect(toolName("files", "read_text-file", NONE)).toBe("files_read_text-file");
  });

  it("is marked where it had to be changed, or is another tool's", () => {
    expect(toolName("web", "get.sum", NONE)).toMatch(/^web_get_sum_[0-9a-f]{8}$/);
    expect(toolName("read", "file", new Set(["read_file"]))).toMatch(/^read_file_[0-9a-f]{8}$/);
  });

  it("is fit for every model, and no other tool's", () => {
    const server = fc.stringMatching(/^[A-Za-z0-9-]{1,32}$/);
    const tool = fc.oneof(
      fc.string({ minLength: 1, maxLength: 80, unit: "binary" }),
      fc.constantFrom("a b", "a_b", "a.b", "x".repeat(64), "x".repeat(65)),
    );
    const pair = fc.tuple(fc.oneof(server, fc.constantFrom("a", "a-b")), tool);
    fc.assert(
      fc.property(pair, pair, (one, two) => {
        const [first, second] = [toolName(...one, NONE), toolName(...two, NONE)];
        expect(first).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(first === second).toBe(JSON.stringify(one) === JSON.stringify(two));
      }),
    );
  });
});
