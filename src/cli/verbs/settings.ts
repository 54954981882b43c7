/** `baton config`, `baton models` and `baton setup`. */
import { manifestOf } from "../../adapter/manifest.js";
import { platforms } from "../../session/platform.js";
import { examplePlatform } from "../options.js";
import { JSON_FLAG, type Verb } from "../verb.js";

export const config: Verb = {
  name: "config",
  description: "show, check and change the settings",
  examples: ["config show"],
  verbs: [
    {
      name: "show",
      description: "show every setting and where it comes from; secrets stay hidden",
      options: [JSON_FLAG],
      examples: ["config show", "config show --json"],
      run: async () => (await import("../config/show.js")).showConfig,
    },
    {
      name: "path",
      description: "show the config files, strongest first, and if they exist",
      options: [JSON_FLAG],
      examples: ["config path"],
      run: async () => (await import("../config/path.js")).configPath,
    },
    {
      name: "check",
      description: "find every mistake in the config files and variables; exit code 1 if there is one",
      options: [JSON_FLAG],
      examples: ["config check"],
      run: async () => (await import("../config/check.js")).check,
    },
    {
      name: "schema",
      description: "print the JSON Schema of config.yaml, for editors",
      options: [
        { flags: "--project", description: "print the schema of baton.yaml, the config file of a project" },
        JSON_FLAG,
      ],
      notes: `Many editors find it with this first line in the file:
  # yaml-language-server: $schema=config.schema.json`,
      examples: ["config schema > ~/.baton/config.schema.json", "config schema --project"],
      run: async () => (await import("../config/schema.js")).schema,
    },
    {
      name: "set",
      description: "change one setting in your config.yaml; comments in the file stay",
      args: [
        { name: "<key>", description: "the setting, such as timezone" },
        { name: "[value]", description: "its new value" },
      ],
      options: [
        { flags: "--unset", description: "remove the setting, so that its default applies" },
        JSON_FLAG,
      ],
      examples: [
        "config set timezone Europe/Berlin",
        "config set reset.default '{ mode: daily, atHour: 4 }'",
        "config set store '{ file: ~/.baton/store-url }'",
        "config set timezone --unset",
      ],
      run: async () => (await import("../config/set.js")).set,
    },
  ],
};

export const models: Verb = {
  name: "models",
  description: "list the available models, and show which one is used and why",
  options: [JSON_FLAG],
  examples: ["models", "models --json"],
  run: async () => (await import("../models.js")).models,
};

export const setup: Verb = {
  name: "setup",
  description: "choose a model provider, or set up a chat platform; you can run it again",
  args: [
    {
      name: "[platform]",
      description: "the platform; if you leave it out, the model provider",
      // Asked for when it is used: other packages bring their platforms while Baton starts.
      get choices() {
        return platforms().filter((name) => manifestOf(name) !== null);
      },
    },
  ],
  options: [
    {
      flags: "--as <name>",
      description: "set up another bot of the platform beside the first one, under a name of its own",
    },
    {
      flags: "--yes",
      description: "ask nothing: use what is found; for a platform, check what is set",
    },
    JSON_FLAG,
  ],
  examples: ["setup", "setup --yes", `setup ${examplePlatform()}`, `setup ${examplePlatform()} --as work`],
  run: async () => (await import("../setup/setup.js")).setup,
};
