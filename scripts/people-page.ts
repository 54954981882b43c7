// docs/people.md: how people are let in, and what each role may do, from the tables that decide it.

import { mayRun } from "../src/gateway/commands/commands.js";
import { form } from "../src/gateway/commands/help.js";
import { commandTable } from "../src/gateway/commands/table.js";
import { ROLES, toolsFor } from "../src/gateway/permissions.js";
import { OWN_TOOLS } from "../src/util/own-tools.js";

/** Those of any MCP server come last, under a name like theirs. */
export const TOOLS: readonly string[] = [...OWN_TOOLS, "<server>_<tool>"];

export function peoplePage(): string {
  const commands = commandTable({ agent: "", clock: () => 0 }).map((command) =>
    row(form(command), (role) => mayRun(command, role)),
  );
  const tools = TOOLS.map((name) =>
    row(
      `\`${name}\``,
      (role) => toolsFor({ role, source: { platform: "" }, names: [] }, [{ name }], {}).length > 0,
    ),
  );
  return `${INTRODUCTION}
${table("command", commands)}

${table("tool", tools)}
${REST}`;
}

function row(what: string, may: (role: (typeof ROLES)[number]) => boolean): string {
  return `| ${[what.replaceAll("|", "\\|"), ...ROLES.map((role) => (may(role) ? "yes" : "no"))].join(" | ")} |`;
}

function table(title: string, rows: readonly string[]): string {
  return [
    `| ${[title, ...ROLES].join(" | ")} |`,
    `| ${["---", ...ROLES.map(() => "---")].join(" | ")} |`,
    ...rows,
  ].join("\n");
}

const INTRODUCTION = `<!-- Made from scripts/people-page.ts and the tables in src/gateway/ by \`npm run docs\`; change it there. -->

# People

Nobody is let in but whoever sits at the machine, until you say so. People are known by immutable ids on their platform,
\`telegram:123456789\`; names can be anybody's and decide nothing.

## Letting somebody in

Somebody unknown who writes to the agent in private is answered once, with a code. In a group they are not answered at
all, and neither are bots. No agent hears what they wrote, and it is not kept.

\`\`\`
telegram  hello
baton     I do not know you yet. Your code is QEZTND9S, for ten minutes.
          Give it to my owner, who lets you in with \`baton people approve QEZTND9S\`, or with \`/pair approve QEZTND9S\` in a chat with me.
\`\`\`

Ann gives you the code, by a way you trust: it is what tells you that it is her.

\`\`\`
$ npx baton people list
Nobody is let in but whoever sits at this machine.

These ask to be let in. Names can be anybody's: approve only the code that somebody gives you.
IDENTITY            CALLS ITSELF  ASKED     ENDS
telegram:123456789  Ann           just now  in 10 min

$ npx baton people approve QEZTND9S --name Ann
telegram:123456789 is let in as guest, called Ann (p_c4deb2c6c2).
\`\`\`

From her next message on she is let in, in a gateway that is running too. \`baton people deny\` refuses somebody, who is
not answered any more; \`baton people role\` and \`baton people forget\` change your mind. An owner can also write
\`/pair approve <code>\` in private. \`people: { pairing: off }\` in \`config.yaml\` answers nobody unknown, but for one who
[types the right code](#one-person-on-several-platforms) of somebody who is let in.

A code counts once, for ten minutes, for exactly the one who asked. At most forty wait on a platform,
and at most twenty of them asked before: a few who keep asking keep nobody else out. Codes are kept as slow hashes only, and
checked one at a time; after five wrong ones from somebody, no code of theirs is looked at for an hour. The fifth is told so;
what somebody unknown types until the hour is over is not answered.

People can also be listed in \`config.yaml\`, as [owners, members and guests](config.md#people). Somebody who is in both
places is the most of what either says.

## What each role may do

An owner runs the gateway, as at the terminal. A member may also have messages sent and choose the model, a guest only talks.
Everybody sees their own conversations only; in a group, those of that group. The terminal's user sees all.
`;

const REST = `
The tools are those an agent has while it answers that person; in a group, whoever wrote. \`terminal\` is the owner's, since
whoever has a shell has the machine. Lists in \`config.yaml\` decide instead, by exact names:

\`\`\`yaml
tools:
  guests: [fetch_url]                  # instead of the guests' tools above
  members: [read_file, list_files, search_files, fetch_url]
  byPlatform:
    discord: [fetch_url]               # there nobody has others, not even an owner
  byPerson:
    telegram:123456789: [read_file, list_files]  # hers instead of her role's, under all her identities
\`\`\`

What one person has is decided in this order:

1. A list in \`byPerson\` counts instead of that of their role: it can give a guest a tool, and keep one from a member or
   an owner. It names one identity and holds for all that are linked to it. Where two of theirs have lists, they have what
   stands in both.
2. Without one, the list of their role; an owner has all tools.
3. Of these, what \`byPlatform\` has for the platform they write on, if it has a list.

Only \`config.yaml\` in the home folder has these lists. A project's \`baton.yaml\` that has any is refused, and so is a name that
is no tool's, with the nearest that is; \`<server>_…\` is taken for every MCP server that is configured.

## Whose request it is

A request belongs to the person who wrote it. It runs with their rights wherever it is answered and whoever repeats it, and
only they, or an owner who may do all that they may, can \`/approve\` what it asks about.

One rule covers every command and every busy mode: **you can stop, change, steer, repeat or take back your own requests, and
those of people who may do nothing that you may not.** In a group this means:

- What a guest writes while the agent works for an owner, or for a guest with a tool that they do not have, waits until that
  is done. It does not interrupt, whatever the busy mode is, and whichever process runs the turn.
- \`/stop\` asks whose turn runs. \`/new\`, \`/reset\`, \`/resume\`, \`/branch\`, \`/handoff\`, \`/title\`, \`/model\`, \`/undo\` and
  \`/retry\` ask whose messages run and wait in the chat.
- \`/undo\` also asks who wrote each message that it would take back, and \`/retry\` who wrote the one that it would repeat.
- \`/resume\` also asks whose messages run and wait where the conversation is now, since they come along.
- A message that moves with its conversation into the private chat of somebody else runs without approvals: nobody there can
  answer for its author.

If Baton does not know who wrote a message (it was imported, or is older than this rule), it counts as the session's
person's. In a shared session only an owner can repeat it or take it back.

## How much each may ask for

| | guest | member | owner |
|---|---|---|---|
| messages a minute | 20 | 60 | no limit |
| turns at once | 2 | 4 | no limit |
| model calls a day | 200 | 2,000 | no limit |
| files a day | 50 MB | 500 MB | no limit |

A message over the limit is skipped, and its sender is told so, once until I take one again. Commands are counted apart, so
that \`/stop\` still works; those that make the agent answer (\`/queue\`, \`/steer\`, \`/retry\`, \`/handoff\`) count as
messages. A turn over the limit waits for one of theirs to end; in a group it is skipped, so that nobody else waits for it.
Model calls and files (with what \`/branch\` copies) count for a day (UTC), for all accounts of a person together, also after a
restart; messages and turns count in each gateway process.

\`baton people usage\` shows what everybody has used today, \`/whoami\` what you have. To change a limit:

\`\`\`yaml
limits:
  guests: { modelCallsPerDay: 50 }
  byPerson:
    telegram:123456789: { mediaMegabytesPerDay: none }   # no limit for her
\`\`\`

## Who speaks

In a session that several people share, the agent is given each message as \`[Ada #3f9c1a02b7 owner] text\`. The id is a short
hash of the person's immutable id, and the role is the one they had when they wrote: two people who call themselves Ada have
different ids. A line of text that begins with a bracket is given with a backslash before it, so nobody can write a line that
looks like somebody else's. Messages that were imported, or that are older than this rule, say \`unverified\` instead.

Notes that Baton adds to a message (\`[attached: …]\`, \`[in reply to: …]\`, \`[forwarded]\`) are lines in brackets too. If a person
types such a line, it is stored with a backslash before it. Forwarded text is never a command if the app marks it as
forwarded: Telegram, Discord and WhatsApp do, and some Matrix apps. In Slack the forwarded text is apart from the message, and
Baton does not read it. **Signal and Element do not mark it**: a forwarded \`/approve 1234\` looks as if you had typed it there.
So never forward to Baton, from Signal or Element, a message that begins with \`/\`.

Names of people and chats, and topics, are no part of the system prompt: it has ids only. The names are given in the user role.

## One person on several platforms

\`/link\` in private shows a code; typed on the other platform, in private, it makes both one person:

\`\`\`
telegram  /link
baton     Your code is DR4YPSNW, for ten minutes.
          Type \`/link DR4YPSNW\` to me on the other platform, in private. Whoever types it becomes you: give it to nobody.
discord   /link DR4YPSNW
baton     You are one person now with \`telegram:123456789\`: your conversations are in /sessions on both. If that is not you, tell the owner at once.

$ npx baton people list
ID            NAME  ROLE   IDENTITIES
p_c4deb2c6c2  Ann   guest  discord:987654321, telegram:123456789
\`\`\`

Every session stays whose it was, and is seen from both sides; in a group nothing of the other side shows. Both have the
role of the side that showed the code: one who may do more is not joined by typing the code of one who may do less, nor one
whom \`tools.byPerson\` gives more tools, or \`limits.byPerson\` more room. A code that was written in a group is worthless. \`/link\` at the terminal makes who types it the terminal's user there:
an owner who sees everything, in private.

\`baton people link\` does the same without a code, and \`baton people unlink\` makes an identity what it was before:

\`\`\`
$ npx baton people unlink discord:987654321
discord:987654321 is by itself again, and is not let in any more.
\`\`\`

## Forgetting

\`baton people forget\` lets somebody in no longer, under any of their identities. Their conversations are kept:
\`baton sessions list\` shows them. Who is listed in \`config.yaml\` is still let in, and the command says so.

\`\`\`
$ npx baton people forget telegram:123456789
Forgotten: telegram:123456789.
\`\`\`
`;
