/** Text from a program that may pass anything. */
import { InputError } from "./errors.js";

export function checkText<Text extends string>(value: Text, name: string): Text {
  if (typeof value !== "string") throw new InputError("invalid_message", `${name} must be a string.`);
  return value;
}
