/** `baton doctor`, `logs`, `backup`, `restore` and `service`. */
import { LOG_LEVELS } from "../../log/log.js";
import { duration, wholeNumber } from "../options.js";
import { JSON_FLAG, type Verb, YES_FLAG } from "../verb.js";

export const doctor: Verb = {
  name: "doctor",
  description: "check this machine, the configuration, the store, the model and the platforms",
  options: [{ flags: "--offline", description: "do not ask the model and the platforms" }, JSON_FLAG],
  notes:
    "The model gets one short question, and each platform is asked whose the bot is. If one does not answer, the exit code is 1.",
  examples: ["doctor", "doctor --offline"],
  run: async () => (await import("../doctor.js")).doctor,
};

export const logs: Verb = {
  name: "logs",
  description: "show the log of the gateway and of chats",
  options: [
    { flags: "-f, --follow", description: "keep printing new lines until you press Ctrl-C" },
    {
      flags: "-n, --lines <number>",
      description: "how many lines from the end (default: 50, or all with --since)",
      parse: wholeNumber(1_000_000),
    },
    {
      flags: "--level <level>",
      description: "only lines of this level or worse",
      choices: LOG_LEVELS,
      default: "info",
    },
    { flags: "--since <time>", description: "only lines from this time on: 30m, 2h, 7d", parse: duration },
    { flags: "--json", description: "print one JSON object per line, for programs" },
  ],
  examples: ["logs -f", "logs --level warn --since 1d"],
  run: async () => (await import("../logs.js")).logs,
};

export const backup: Verb = {
  name: "backup",
  description: "copy the store into one file while it is in use, and check the copy",
  args: [
    {
      name: "[file]",
      description: "the file or folder to write; if you leave it out, `backups` in the home folder",
    },
  ],
  options: [JSON_FLAG],
  notes: "A backup contains no settings and no secrets.",
  examples: ["backup", "backup /mnt/usb/baton.db"],
  run: async () => (await import("../backup.js")).backUp,
};

export const restore: Verb = {
  name: "restore",
  description: "replace the store with a backup; the old store is saved in another file",
  args: [{ name: "<file>", description: "the backup" }],
  options: [YES_FLAG, JSON_FLAG],
  notes: "First stop the gateway and close every chat. Baton checks the backup before it changes anything.",
  examples: ["restore ~/.baton/backups/baton-20260110T120000Z.db"],
  run: async () => (await import("../restore.js")).restore,
};

export const service: Verb = {
  name: "service",
  description: "run the gateway as a service of your user",
  examples: ["service install"],
  verbs: [
    {
      name: "install",
      description: "install and start the service; it starts again when the machine does",
      options: [
        { flags: "--print", description: "only print the file that describes the service" },
        JSON_FLAG,
      ],
      examples: ["service install", "service install --print"],
      run: async () => (await import("../service/install.js")).install,
    },
    {
      name: "uninstall",
      description: "stop and remove the service; conversations and settings stay",
      options: [JSON_FLAG],
      examples: ["service uninstall"],
      run: async () => (await import("../service/uninstall.js")).uninstall,
    },
    {
      name: "status",
      description: "show if the service is installed and running; exit code 0 if it is running, 1 if not",
      options: [JSON_FLAG],
      examples: ["service status"],
      run: async () => (await import("../service/status.js")).status,
    },
  ],
};
