/** A call of a tool in a row of the screen. */
import type { ToolCall } from "../../session/transcript.js";
import { type ScreenRow, span } from "./style.js";
import { toolCallText } from "./tool-text.js";
import { cutTo } from "./wrap.js";

export function toolCallRows(call: ToolCall, width: number): ScreenRow[] {
  return [[span(cutTo(toolCallText(call), width), { dim: true })]];
}
