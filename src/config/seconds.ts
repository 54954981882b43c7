/** A number of seconds, at most a day. */
import { type Meaning, number, type Setting } from "../util/setting.js";

export function seconds(usual: number, meaning: Meaning): Setting<number> {
  const error = "use a number of seconds above 0, at most 86400";
  return number(usual, meaning, { above: 0, max: 86_400, error });
}
