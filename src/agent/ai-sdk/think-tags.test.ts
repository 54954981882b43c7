import fc from "fast-check";
import { expect, it } from "vitest";
import { ThinkTags } from "./think-tags.js";

function read(...deltas: string[]): { text: string; reasoning: string } {
  const tags = new ThinkTags();
  const said = { text: "", reasoning: "" };
  for (const { kind, text } of [...deltas.flatMap((delta) => tags.push(delta)), ...tags.end()])
    said[kind] += text;
  return said;
}

it.each([
  ["Hello.", { text: "Hello.", reasoning: "" }],
  ["<think>Hm.</think>\n\nHello.", { text: "Hello.", reasoning: "Hm." }],
  ["\n<Thinking>Hm.</thinking>Hello.", { text: "Hello.", reasoning: "Hm." }],
  ["<think>a < b </thin k></think>Yes.", { text: "Yes.", reasoning: "a < b </thin k>" }],
  ["<think></think>Yes.", { text: "Yes.", reasoning: "" }],
  ["<think>never ends", { text: "", reasoning: "never ends" }],
  ["<thin ice> breaks", { text: "<thin ice> breaks", reasoning: "" }],
  ["Use <think>x</think> so.", { text: "Use <think>x</think> so.", reasoning: "" }],
  ["<think>a</think>b<think>c</think>", { text: "b<think>c</think>", reasoning: "a" }],
  ["<th", { text: "<th", reasoning: "" }],
  ["   ", { text: "   ", reasoning: "" }],
])("%j, in pieces of every size", (whole, expected) => {
  for (let size = 1; size <= whole.length; size++) {
    const deltas = whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    expect(read(...deltas)).toEqual(expected);
  }
});

it("how a text is cut changes nothing, and no word is lost", () => {
  const part = fc.constantFrom("<think>", "</think>", "<", "think", ">", "a", " ", "\n", "</", "İ");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const whole = parts.join("");
      const { text, reasoning } = read(whole);
      expect(read(...parts)).toEqual({ text, reasoning });
      const words = (said: string) => said.replace(/<\/?think>|\s/g, "");
      expect(words(reasoning + text)).toBe(words(whole));
    }),
  );
});
