/** Where a setting stands, and what is wrong with one. Messages never hold the value of a secret. */
import { InputError } from "../session/errors.js";

export type SettingPlace =
  | {
      readonly file: string /** Counted from 1; null for the file as a whole. */;
      readonly line: number | null;
    }
  | { readonly variable: string };

export interface Problem {
  readonly place: SettingPlace;
  /** The dotted key; empty where it is about the whole file. */
  readonly key: string;
  /** A sentence; with the place before it, it says what to mend. */
  readonly message: string;
}

/** `config.yaml:3`, or the variable's name. */
export function placeText(place: SettingPlace): string {
  if ("variable" in place) return place.variable;
  return place.line === null ? place.file : `${place.file}:${place.line}`;
}

export function problemText({ place, message }: Problem): string {
  return `${placeText(place)}: ${message}`;
}

export function invalidConfig(problems: readonly Problem[]): InputError {
  return new InputError("invalid_config", problems.map(problemText).join("\n"));
}
