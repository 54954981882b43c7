/** The environments that a call of the tool `terminal` can name: this machine, and those of the settings. */
import { type CommandEnvironment, THIS_MACHINE } from "../../util/command-environment.js";

export class NamedEnvironments {
  readonly #others: readonly CommandEnvironment[];
  readonly #default: string;

  constructor(others: readonly CommandEnvironment[], byDefault = THIS_MACHINE) {
    this.#others = others;
    this.#default = byDefault;
  }

  /** Null for this machine, undefined if there is none of that name. No name means the default. */
  named(written: string | null): CommandEnvironment | null | undefined {
    const name = written || this.#default;
    return name === THIS_MACHINE ? null : this.#others.find((one) => one.name === name);
  }

  known(): string {
    const all = [
      `\`${THIS_MACHINE}\` (this machine)`,
      ...this.#others.map(({ name, where }) => `\`${name}\` (${where})`),
    ];
    return `There are ${all.join(", ")}.`;
  }

  parameter(): object {
    if (this.#others.length === 0) return {};
    const description = `Where to run it; \`${this.#default}\` by default. ${this.known()}`;
    return {
      environment: {
        type: "string",
        enum: [THIS_MACHINE, ...this.#others.map(({ name }) => name)],
        description,
      },
    };
  }
}
