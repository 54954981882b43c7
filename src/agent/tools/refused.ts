/** What a tool will not or cannot do, as a sentence for the model: it becomes the result, after `Error: `. */
import { grouped } from "../../util/words.js";
import type { Tool, ToolContext } from "../agent.js";

export class Refused extends Error {}

/** The tool's `run`: a `Refused` that it throws becomes the result. */
export function answering(
  run: (args: Arguments, context: ToolContext) => Promise<string> | string,
): Tool["run"] {
  return async (args, context) => {
    if (context.signal.aborted) return "Not run: the turn was stopped.";
    try {
      return await run(new Arguments(args), context);
    } catch (error) {
      if (error instanceof Refused) return `Error: ${error.message}`;
      throw error;
    }
  };
}

/** The arguments of a call. Models are sloppy: numbers and booleans may come as text, and null counts as absent. */
export class Arguments {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(args: unknown) {
    this.#values = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  text(name: string, longest: number): string {
    const text = this.optionalText(name, longest);
    if (text === undefined) throw new Refused(`\`${name}\` is missing. Give a text.`);
    return text;
  }

  /** Text that is not blank. */
  words(name: string, longest: number): string {
    const text = this.text(name, longest);
    if (text.trim() === "") throw new Refused(`\`${name}\` is empty. Give a text.`);
    return text;
  }

  optionalText(name: string, longest: number): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value !== "string") throw new Refused(`\`${name}\` must be a text.`);
    if (value.length > longest) {
      throw new Refused(`\`${name}\` is too long. At most ${grouped(longest)} characters are allowed.`);
    }
    return value;
  }

  optionalNumber(name: string, least: number): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const number =
      typeof value === "string" && /^\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number) || number < least) {
      throw new Refused(`\`${name}\` must be a number, ${least} or more.`);
    }
    return number;
  }

  optionalInteger(name: string): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (!Number.isSafeInteger(number)) throw new Refused(`\`${name}\` must be a whole number.`);
    return number as number;
  }

  /** At most so many texts that are not blank, each one line; one text alone counts as a list of one. */
  texts(name: string, most: number, longest: number): readonly string[] {
    const value = this.#value(name) ?? [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const isLine = (text: unknown): text is string =>
      typeof text === "string" && text.trim() !== "" && !/[\r\n]/.test(text);
    if (list.length > most || !list.every(isLine) || list.some(({ length }) => length > longest)) {
      throw new Refused(
        `\`${name}\` must be a list of at most ${most} texts, each one line of at most ${longest} characters.`,
      );
    }
    return list;
  }

  flag(name: string): boolean {
    const value = this.#value(name) ?? false;
    if (value === true || value === "true") return true;
    if (value === false || value === "false") return false;
    throw new Refused(`\`${name}\` must be true or false.`);
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined;
  }
}
