/** What somebody filled in, which comes as JSON in a text: its fields in words. */
import { isFields } from "../../util/json.js";
import { jsonOf } from "../untrusted.js";

const MOST_FIELDS = 40;
/** Not the person's words. */
const INTERNAL = new Set(["flow_token", "wa_flow_response_params", "id", "version"]);

/** `day: Monday`; what lies deeper is flat: `values.city: Berlin`. */
export function formWords(json: string | undefined): readonly string[] {
  return fieldsOf(jsonOf(json ?? ""), "", 3).slice(0, MOST_FIELDS);
}

function fieldsOf(value: unknown, name: string, levels: number): string[] {
  if (Array.isArray(value)) {
    const words = value.slice(0, MOST_FIELDS).filter((each) => typeof each !== "object");
    return words.length === 0 ? [] : [`${name}: ${words.join(" + ")}`];
  }
  if (!isFields(value))
    return value === null || value === undefined || name === "" ? [] : [`${name}: ${value}`];
  if (levels === 0) return [];
  return Object.entries(value)
    .slice(0, MOST_FIELDS)
    .filter(([key]) => !INTERNAL.has(key))
    .flatMap(([key, each]) => fieldsOf(each, name === "" ? key : `${name}.${key}`, levels - 1));
}
