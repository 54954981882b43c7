/** A tool at work in a row or two of the screen. */
import type { ToolCall } from "../../session/transcript.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallText, toolResultText } from "./tool-text.js";
import { cutTo } from "./wrap.js";

const INDENT = "  ";

export function toolCallRows(call: ToolCall, width: number): ScreenRow[] {
  return [[span(cutTo(toolCallText(call), width), { dim: true })]];
}

export function toolResultRows(content: string, width: number): ScreenRow[] {
  return toolResultText(content).map((line) => [span(cutTo(INDENT + line, width), { dim: true })]);
}
