/** A rich text as Feishu's clients show it; fails where it is not as Feishu wants it. */
import { expect } from "vitest";
import type { FeishuPost } from "../../src/adapter/feishu/format.js";

const STYLES = ["bold", "underline", "lineThrough", "italic"];
/** What Feishu takes in one call, with room for what stands around the text. */
const MOST_BYTES = 30_000;

/** Line by line, with where links lead; code within a line is seen without its backticks. */
export function readPost(post: FeishuPost): string {
  const { content } = post.zh_cn;
  const call = { receive_id: `oc_${"x".repeat(60)}`, msg_type: "post", uuid: "x".repeat(50) };
  expect(Buffer.byteLength(JSON.stringify({ ...call, content: JSON.stringify(post) }))).toBeLessThan(
    MOST_BYTES,
  );
  expect(content.length).toBeGreaterThan(0);
  // A text that would be too long with its marks is one node.
  const [[only] = []] = content;
  if (content.length === 1 && only?.tag === "text" && only.text.includes("\n")) return only.text;
  return content.map((line) => readLine(line)).join("\n");
}

function readLine(line: FeishuPost["zh_cn"]["content"][number]): string {
  expect(line.length).toBeGreaterThan(0);
  // A block of code is a paragraph of its own.
  if (line.some(({ tag }) => tag === "code_block")) expect(line).toHaveLength(1);
  return line.map((node) => readNode(node)).join("");
}

function readNode(node: FeishuPost["zh_cn"]["content"][number][number]): string {
  if (node.tag === "at") return expect.fail("It names somebody.");
  expect(node.text).not.toBe("");
  expect(node.text).not.toMatch(/<\/?at\b/i);
  if (node.tag === "code_block") return node.text;
  expect(node.text).not.toContain("\n");
  for (const style of node.style ?? []) expect(STYLES).toContain(style);
  if (node.tag === "a") {
    expect(node.href).toMatch(/^https?:\/\/\S+$/);
  }
  return node.text.replace(/`(?!\u2060)([^`]+)`/g, "$1"); // One that stands for itself is followed by a joiner.
}
