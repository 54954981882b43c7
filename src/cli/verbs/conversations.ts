/** `baton chat`, `baton gateway` and `baton handoff`. */
import { LOCAL } from "../../session/platform.js";
import { examplePlatform } from "../options.js";
import { type Argument, JSON_FLAG, SESSION, type Verb } from "../verb.js";

const HANDOFF: Argument = { name: "<handoff>", description: "its id, or the start of its id" };

export const chat: Verb = {
  name: "chat",
  description: "talk to the agent in this terminal, or ask it one question",
  args: [
    {
      name: "[message...]",
      description: 'send this message, print the answer and exit; "-" at the end waits for piped input',
    },
  ],
  options: [
    { flags: "--session <session>", description: `continue this session: ${SESSION.description}` },
    { flags: "--new", description: "start a new session" },
    { flags: "-c, --continue", description: "with a message: continue the conversation of the terminal" },
    { flags: "-m, --message <text>", description: "the message, as an option" },
    { flags: "--attach <file...>", description: "files to send with the message: text, documents, pictures" },
    { flags: "--model <model>", description: "with a message: ask this model, for this question only" },
    { flags: "--system <text>", description: "with a message: more instructions, for this question only" },
    {
      flags: "--no-session",
      description: "with a message: save nothing of the question and its answer (the tokens still count)",
    },
    { flags: "--json", description: "with a message: print one JSON event per line" },
  ],
  notes:
    '`baton chat` may be left out: `baton "why is the sky blue?"`. Piped input follows the message, or is the message. The answer goes to stdout, everything else to stderr. A message that names no session begins one of its own; --continue goes on with the conversation of the terminal.',
  examples: [
    'chat --continue "What did I say first?"',
    'git diff | baton "review this"',
    'chat "what is in it?" --attach report.pdf',
    'git log -1 | baton "write release notes" --system "One paragraph." --no-session',
    "chat --new",
  ],
  run: async () => (await import("../chat.js")).chat,
};

export const gateway: Verb = {
  name: "gateway",
  description: "run the gateway in the foreground: serve the connected platforms until you stop it",
  examples: ["gateway", "gateway status"],
  run: async () => (await import("../gateway.js")).gateway,
  verbs: [
    {
      name: "status",
      description: "show if a gateway is running for this home folder; exit code 0 if it is, 1 if not",
      options: [JSON_FLAG],
      examples: ["gateway status"],
      run: async () => (await import("../gateway-status.js")).gatewayStatus,
    },
    {
      name: "link",
      description: "link this machine to an account as one of its devices, with a code you type on the phone",
      args: [{ name: "<platform>", description: "the platform of the account" }],
      run: async () => (await import("../gateway-link.js")).gatewayLink,
    },
  ],
};

export const handoff: Verb = {
  name: "handoff",
  description: "move a conversation to another chat; with no arguments, list where it can go",
  args: [
    { ...SESSION, name: "[session]" },
    {
      name: "[where]",
      description: `a platform, platform:chat[:thread], the name of a home channel, or ${LOCAL}`,
    },
  ],
  options: [{ flags: "--no-wait", description: "request the move and exit at once" }, JSON_FLAG],
  notes: "A running gateway moves the conversation. Until then it stays where it is.",
  examples: ["handoff", `handoff "Garden plans" ${examplePlatform()}`, "handoff list"],
  run: async () => (await import("../handoff/handoff.js")).handoff,
  verbs: [
    {
      name: "list",
      description: "list the handoffs that are in progress or offered",
      options: [JSON_FLAG],
      run: async () => (await import("../handoff/look.js")).listHandoffs,
    },
    {
      name: "show",
      description: "show one handoff: its progress or its result",
      args: [HANDOFF],
      options: [JSON_FLAG],
      examples: ["handoff show ho_4f1c"],
      run: async () => (await import("../handoff/look.js")).showHandoff,
    },
    {
      name: "cancel",
      description: "cancel a handoff that has not started",
      args: [HANDOFF],
      options: [JSON_FLAG],
      examples: ["handoff cancel ho_4f1c"],
      run: async () => (await import("../handoff/look.js")).cancelHandoff,
    },
  ],
};
