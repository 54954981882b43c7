/** `baton sessions`. */
import { EXPORT_FORMATS } from "../../session/transfer.js";
import { duration, examplePlatform, megabytes, moment, platform, roles, wholeNumber } from "../options.js";
import { type Flag, JSON_FLAG, SESSION, type Verb, YES_FLAG } from "../verb.js";

const CURSOR: Flag = { flags: "--cursor <cursor>", description: "start where the previous page ended" };

export const sessions: Verb = {
  name: "sessions",
  description: "list, show, search, name, export, import, move and delete sessions",
  examples: ["sessions list --active 7d"],
  verbs: [
    {
      name: "list",
      description: "list sessions, latest activity first",
      options: [
        { flags: "--platform <name>", description: "only sessions on this platform", parse: platform },
        {
          flags: "--active <time>",
          description: "only sessions with activity in this time: 30m, 2h, 7d",
          parse: (text) => ({ text, ms: duration(text) }),
        },
        {
          flags: "--limit <n>",
          description: "sessions per page, up to 200 (default: 50)",
          parse: wholeNumber(200),
        },
        CURSOR,
        JSON_FLAG,
      ],
      examples: ["sessions list --active 7d", `sessions list --platform ${examplePlatform()}`],
      run: async () => (await import("../list.js")).list,
    },
    {
      name: "show",
      description: "show a session and its last messages",
      args: [SESSION],
      options: [
        { flags: "--limit <n>", description: "how many messages", parse: wholeNumber(100_000), default: 20 },
        { flags: "--all", description: "show every message" },
        {
          flags: "--cursor <seq>",
          description: "show the messages before this one",
          parse: wholeNumber(Number.MAX_SAFE_INTEGER),
        },
        { flags: "--superseded", description: "include messages removed by an undo or a rewrite" },
        JSON_FLAG,
      ],
      examples: ["sessions show 20261115_051313", 'sessions show "Garden plans" --all'],
      run: async () => (await import("../show.js")).show,
    },
    {
      name: "search",
      description: "find messages that contain all these words, newest first",
      args: [{ name: "<words...>", description: "the words to look for" }],
      options: [
        { flags: "--session <session>", description: "search only this session" },
        { flags: "--platform <name>", description: "search only sessions on this platform", parse: platform },
        {
          flags: "--role <roles>",
          description:
            "search only messages of this role: user, assistant, tool, system; several with commas",
          parse: roles,
        },
        {
          flags: "--after <date>",
          description: "search only messages from this date or time on: 2026-01-31, 2026-01-31T10:00, 7d",
          parse: moment,
        },
        { flags: "--before <date>", description: "search only messages before it", parse: moment },
        {
          flags: "--context <n>",
          description: "how many messages to show before and after each, up to 3 (default: 1)",
          parse: wholeNumber(3, 0),
        },
        {
          flags: "--limit <n>",
          description: "messages per page, up to 100 (default: 20)",
          parse: wholeNumber(100),
        },
        CURSOR,
        JSON_FLAG,
      ],
      notes: 'Use "quotes" for a phrase, and * at the end for words that start this way.',
      examples: [
        "sessions search garden party",
        "sessions search '\"garden party\"'",
        "sessions search 'gard*' --session 20261115_051313",
        `sessions search garden --platform ${examplePlatform()} --role user --after 7d`,
      ],
      run: async () => (await import("../search.js")).search,
    },
    {
      name: "title",
      description: "show, set or remove the title of a session",
      args: [SESSION, { name: "[text...]", description: "the new title" }],
      options: [{ flags: "--clear", description: "remove the title" }, JSON_FLAG],
      examples: ["sessions title 20261115_051313 Garden plans"],
      run: async () => (await import("../title.js")).title,
    },
    {
      name: "export",
      description: "write a session to a file or to stdout",
      args: [{ ...SESSION, name: "[session]" }],
      options: [
        {
          flags: "--format <format>",
          description: "the format of the output (default: jsonl)",
          choices: EXPORT_FORMATS,
        },
        { flags: "--output <path>", description: "the file to write; with --all, the folder" },
        { flags: "--force", description: "overwrite files that exist" },
        { flags: "--all", description: "export every session, one file each, into the --output folder" },
        JSON_FLAG,
      ],
      examples: [
        "sessions export 20261115_051313 --format markdown",
        "sessions export --all --output backup/",
      ],
      run: async () => (await import("../export.js")).exportSessions,
    },
    {
      name: "import",
      description: "import sessions from a folder, a file or a database",
      args: [
        {
          name: "<path>",
          description: "an export of Baton, or the folder of Hermes, nanobot, OpenClaw or Claude Code",
        },
      ],
      options: [{ flags: "--dry-run", description: "only show what would be imported" }, JSON_FLAG],
      notes: "Importing the same sessions again adds nothing.",
      examples: ["sessions import ~/.hermes --dry-run", "sessions import ~/.claude/projects"],
      run: async () => (await import("../import.js")).importAll,
    },
    {
      name: "explain",
      description: "explain when a session resets, and why",
      args: [{ name: "<session-or-key>", description: `${SESSION.description}; or the key of a chat` }],
      options: [JSON_FLAG],
      examples: [
        "sessions explain 20261115_051313",
        `sessions explain agent:main:${examplePlatform()}:dm:99`,
      ],
      run: async () => (await import("../explain.js")).explain,
    },
    {
      name: "move",
      description: "bring a session into another chat, as /resume does there",
      args: [
        SESSION,
        { name: "<key>", description: "the key of the chat, or its address if it has one conversation" },
      ],
      options: [
        { flags: "--dry-run", description: "only show what would happen, and who could read it" },
        YES_FLAG,
        JSON_FLAG,
      ],
      notes:
        "The people of that chat can read the whole session from then on. " +
        "Run `baton sessions explain <session>` to see the key of a session's chat.",
      examples: [
        `sessions move 20261115_051313 agent:main:${examplePlatform()}:dm:99 --dry-run`,
        `sessions move "Garden plans" ${examplePlatform()}:99`,
      ],
      run: async () => (await import("../move.js")).move,
    },
    {
      name: "rescope",
      description: "carry conversations over after you changed the scopes",
      options: [
        {
          flags: "--from-agent <name>",
          description: "also carry over the conversations of this agent, which you have renamed",
        },
        { flags: "--dry-run", description: "only show what would happen" },
        YES_FLAG,
        JSON_FLAG,
      ],
      notes:
        "Nobody sees a conversation afterwards that they could not see before. You can stop it and run it again at any time. " +
        "Restart the gateway first, so that it uses the new scopes.",
      examples: ["sessions rescope --dry-run", "sessions rescope --from-agent main --dry-run"],
      run: async () => (await import("../rescope.js")).rescope,
    },
    {
      name: "prune",
      description: "delete ended sessions with their messages and files, after writing them to an archive",
      options: [
        {
          flags: "--older-than <time>",
          description: "delete sessions that ended before this: 90d, 12w",
          parse: duration,
        },
        {
          flags: "--max-size <MB>",
          description:
            "delete the sessions that ended first, until the texts of all messages have at most this many megabytes",
          parse: megabytes,
        },
        { flags: "--archive <folder>", description: "where to write them first (default: <home>/archive)" },
        { flags: "--no-archive", description: "delete them without an archive" },
        { flags: "--dry-run", description: "only show what would be deleted" },
        YES_FLAG,
        JSON_FLAG,
      ],
      notes:
        "Without --older-than and --max-size, `retention` in config.yaml says what to delete. To get sessions back, run `baton sessions import <folder>`.",
      examples: [
        "sessions prune --older-than 90d --dry-run",
        "sessions prune --max-size 500 --archive ~/old-sessions",
      ],
      run: async () => (await import("../prune.js")).prune,
    },
  ],
};
