/** `baton processes`. */
import { wholeNumber } from "../options.js";
import { type Argument, JSON_FLAG, type Verb } from "../verb.js";

const PROCESS: Argument = { name: "<process>", description: "its id, or the start of its id" };
const JSON_LINES = { flags: "--json", description: "print one JSON object per line, for programs" };

export const processes: Verb = {
  name: "processes",
  description: "list, watch, use and end the background processes that the agent started",
  examples: ["processes list"],
  verbs: [
    {
      name: "list",
      description: "list background processes, newest first",
      options: [JSON_FLAG],
      examples: ["processes list"],
      run: async () => (await import("../processes/list.js")).listProcesses,
    },
    {
      name: "logs",
      description: "show the last output of a process",
      args: [PROCESS],
      options: [
        { flags: "-f, --follow", description: "keep printing until the process ends or you press Ctrl-C" },
        {
          flags: "-n, --lines <number>",
          description: "how many lines from the end",
          parse: wholeNumber(1_000_000, 0),
          default: 50,
        },
        JSON_LINES,
      ],
      notes:
        "Ctrl-C does not end the process. Colours and other control sequences are left out. If a program uses the whole screen, you see the screen.",
      examples: ["processes logs p_4f -f"],
      run: async () => (await import("../processes/logs.js")).processLogs,
    },
    {
      name: "attach",
      description: "use a process in this terminal; press Ctrl-\\ to detach",
      args: [PROCESS],
      options: [JSON_LINES],
      notes:
        "The process keeps running after you detach. If it has no terminal of its own, it reads what you type line by line: Ctrl-C also detaches, and Ctrl-D ends its input.",
      examples: ["processes attach p_4f"],
      run: async () => (await import("../processes/attach.js")).attachProcess,
    },
    {
      name: "write",
      description: "type a line into a process",
      args: [
        PROCESS,
        { name: "[text...]", description: "what to type; if you leave it out, what is piped in" },
      ],
      options: [
        { flags: "--raw", description: "write the text as it is, without Enter at its end" },
        JSON_FLAG,
      ],
      examples: ["processes write p_4f yes"],
      run: async () => (await import("../processes/write.js")).writeToProcess,
    },
    {
      name: "kill",
      description: "end a process and everything that it started",
      args: [PROCESS],
      options: [JSON_FLAG],
      examples: ["processes kill p_4f"],
      run: async () => (await import("../processes/kill.js")).killProcess,
    },
  ],
};
