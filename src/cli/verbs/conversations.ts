/** `baton chat`, `baton gateway` and `baton handoff`. */
import { LOCAL } from "../../session/platform.js";
import { examplePlatform } from "../options.js";
import { type Argument, JSON_FLAG, SESSION, type Verb } from "../verb.js";

const HANDOFF: Argument = { name: "<handoff>", description: "its id, or the start of its id" };

export const chat: Verb = {
  name: "chat",
  description: "talk to the agent in this terminal; continues your last session",
  options: [
    { flags: "--session <session>", description: `continue this session: ${SESSION.description}` },
    { flags: "--new", description: "start a new session" },
    { flags: "--message <text>", description: "send one message, print the answer and exit" },
    {
      flags: "--attach <file...>",
      description: "with --message or piped input: files to send, such as a picture",
    },
    { flags: "--json", description: "with --message or piped input: print one JSON event per line" },
  ],
  notes: "Piped input is sent as one message. The answer goes to stdout, everything else to stderr.",
  examples: ['chat --message "What did I say first?"', "chat --new"],
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
