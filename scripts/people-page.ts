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

At first only the user of this machine may talk to the agent. You decide who else may. Baton knows people by their immutable
ids on a platform, such as \`telegram:123456789\`. Anybody can choose any name, so names decide nothing.

## Let somebody in

If somebody unknown writes to the agent in private, Baton answers once, with a code. In a group Baton does not answer them at
all, and it never answers bots. The agent does not see what they wrote, and Baton does not save it.

\`\`\`
telegram  hello
baton     I don't know you yet. Your code is QEZTND9S. It is valid for ten minutes.
          Give it to my owner, who can let you in with \`baton people approve QEZTND9S\`, or with \`/pair approve QEZTND9S\` in a chat with me.
\`\`\`

Ann gives you the code in a way that you trust. The code tells you that it is really her.

\`\`\`
$ npx baton people list
Only the person at this machine has access.

These accounts ask for access. Anyone can choose any name: approve only a code that the person gave you.
ACCOUNT             NAME THEY USE  ASKED     EXPIRES
telegram:123456789  Ann            just now  in 10 min

$ npx baton people approve QEZTND9S --name Ann
telegram:123456789 now has access, with the role guest and the name Ann (p_c4deb2c6c2).
\`\`\`

From her next message on she may talk to the agent, also in a gateway that is already running. \`baton people deny\` refuses
somebody, and Baton no longer answers them. \`baton people role\` and \`baton people forget\` change your decision. An owner can
also write \`/pair approve <code>\` in private. With \`people: { pairing: off }\` in \`config.yaml\` Baton answers nobody unknown,
except a person who [types the right code](#one-person-on-several-platforms) of somebody who is already known.

A code works once, for ten minutes, and only for the person who asked for it. At most forty requests wait on a platform, and at
most twenty of them are from people who asked before, so a few people who keep asking keep nobody else out. Baton stores codes
only as slow hashes and checks one at a time. After five wrong codes from one person, Baton checks no code of theirs for an hour.
It tells them so at the fifth. Until the hour is over, Baton does not answer what somebody unknown types.

You can also list people in \`config.yaml\`, as [owners, members and guests](config.md#people). If somebody has a role in both
places, the higher one counts. One group can have [a list of its own](groups.md#people-of-one-group): it says
who may talk to the agent there, and lets in guests who have no access elsewhere.

## What each role may do

A guest only talks with the agent. A member may also have messages sent and choose the model. An owner runs the gateway, as if
they sat at the terminal. Everybody sees only their own conversations, and in a group only those of that group. The user of the
terminal sees all.
`;

const REST = `
These are the tools that the agent has while it answers that person; in a group, the person who wrote. Only an owner has
\`terminal\`, because a person with a shell controls the machine. Lists in \`config.yaml\` change this, by exact names:

\`\`\`yaml
tools:
  guests: [fetch_url]                  # instead of the guests' tools above
  members: [read_file, list_files, search_files, fetch_url]
  byPlatform:
    discord: [fetch_url]               # nobody has other tools there, not even an owner
  byPerson:
    telegram:123456789: [read_file, list_files]  # instead of her role's tools, on all her linked accounts
\`\`\`

Baton decides in this order which tools a person has:

1. A list in \`byPerson\` replaces the list of their role: it can give a tool to a guest, and take one from a member or
   an owner. It names one identity and counts for all identities that are linked to it. If two of them have lists, the person
   has the tools that are in both.
2. Without such a list, the list of their role counts; an owner has all tools.
3. If \`byPlatform\` has a list for the platform on which they write, only the tools in that list are left.

Only \`config.yaml\` in the home folder can have these lists. Baton refuses a project's \`baton.yaml\` that has one. It also
refuses a name that no tool has, and suggests the nearest one. It accepts \`<server>_…\` for every MCP server that is configured.

## Whose request it is

A request belongs to the person who wrote it. It runs with their rights, even if it is answered in another chat or somebody else
repeats it. Only they, or an owner who may do everything that they may, can \`/approve\` what it asks about.

One rule covers every command and every busy mode: **you can stop, change, steer, repeat or take back your own requests, and
those of people who may do nothing that you may not.** In a group this means:

- If the agent works for an owner, or for a guest with a tool that you do not have, your message waits until that is done. It
  does not interrupt, with any busy mode and in any process.
- \`/stop\` checks whose turn runs. \`/new\`, \`/reset\`, \`/resume\`, \`/branch\`, \`/handoff\`, \`/title\`, \`/model\`, \`/undo\` and
  \`/retry\` check whose messages run and wait in the chat.
- \`/undo\` also checks who wrote each message that it would take back, and \`/retry\` who wrote the one that it would repeat.
- \`/resume\` also checks whose messages run and wait where the conversation is now, because they come along.
- If a message moves with its conversation into somebody else's private chat, it runs without approvals: nobody there can
  answer for its author.

If Baton does not know who wrote a message (it was imported, or is older than this rule), the message belongs to the person of
the session. In a shared session only an owner can repeat it or take it back.

## How much each may ask for

| | guest | member | owner |
|---|---|---|---|
| messages a minute | 20 | 60 | no limit |
| turns at once | 2 | 4 | no limit |
| model calls a day | 200 | 2,000 | no limit |
| files a day | 50 MB | 500 MB | no limit |
| tokens and cost, of a day and of a session | no limit | no limit | no limit |

Baton skips a message over the limit and tells its sender, once until it takes a message again. It counts commands separately, so
that \`/stop\` still works. Commands that make the agent answer (\`/queue\`, \`/steer\`, \`/retry\`, \`/handoff\`) count as
messages. A turn over the limit waits until another turn of the same person ends. In a group Baton skips it, so that nobody else
waits for it. Model calls and files (with what \`/branch\` copies) count for a day (UTC), for all accounts of a person together,
also after a restart. Messages and turns count in each gateway process.

\`baton people limits\` shows what everybody has used of them today, and \`/whoami\` shows what you have used. [Limits and
usage](limits.md) says what happens at each limit, and how to limit tokens and cost. To change a limit:

\`\`\`yaml
limits:
  guests: { modelCallsPerDay: 50 }
  byPerson:
    telegram:123456789: { mediaMegabytesPerDay: none }   # no limit for her
\`\`\`

## Who speaks

If several people share a session, the agent gets each message as \`[Ada #3f9c1a02b7 owner] text\`. The id is a short hash of the
person's immutable id, so two people who call themselves Ada have different ids. The role is the one that they had when they
wrote. If a line of text begins with a bracket, the agent gets it with a backslash before it, so nobody can write a line that
looks like somebody else's. Messages that were imported, or that are older than this rule, say \`unverified\` instead.

Notes that Baton adds to a message (\`[attached: …]\`, \`[in reply to: …]\`, \`[forwarded]\`) are lines in brackets too. If a person
types such a line, Baton stores it with a backslash before it. Forwarded text is never a command if the app marks it as
forwarded: Telegram, Discord, WhatsApp and some Matrix apps do. In Slack the forwarded text is not part of the message, and
Baton does not read it. **Signal and Element do not mark it**: a forwarded \`/approve 1234\` looks as if you had typed it there.
So never forward to Baton, from Signal or Element, a message that begins with \`/\`.

The system prompt contains ids only. Names of people and chats, and topics, go to the model in the user role.

## One person on several platforms

\`/link\` in private shows a code. If you type it on the other platform, in private, both accounts become one person:

\`\`\`
telegram  /link
baton     Your code is DR4YPSNW. It is valid for ten minutes.
          Send \`/link DR4YPSNW\` to me on the other platform, in private. Anyone who sends it becomes you, so give it to nobody.
discord   /link DR4YPSNW
baton     This account is now linked with \`telegram:123456789\`: both see your conversations in /sessions. If that account is not yours, tell the owner at once.

$ npx baton people list
ID            NAME  ROLE   ACCOUNTS
p_c4deb2c6c2  Ann   guest  discord:987654321, telegram:123456789
\`\`\`

Every session keeps its owner, and the person sees it from both accounts. In a group nothing of the other account shows. Both
accounts get the role of the one that showed the code. The code of somebody who may do less does not work for a person who may do
more, or to whom \`tools.byPerson\` gives more tools or \`limits.byPerson\` higher limits. A code that was written in a group does
not work. With \`/link\` at the terminal, the account that types the code becomes the user of the terminal: an owner who sees
everything, in private.

\`baton people link\` does the same without a code, and \`baton people unlink\` gives an account back the role it had before:

\`\`\`
$ npx baton people unlink discord:987654321
discord:987654321 is now a person of its own and has no access.
\`\`\`

## Browsers

\`/web\` in private gives a person a link that signs a browser in to [the page](web.md), with their own rights. \`/web devices\` lists
their browsers, and \`/web sign-out\` signs one out. You can do it for everybody:

\`\`\`
$ npx baton people devices
ID          WHO                 BROWSER          SIGNED IN   LAST SEEN
4f2c81d07a  telegram:123456789  Chrome on Linux  3 days ago  25 min ago

$ npx baton people devices revoke telegram:123456789
Signed telegram:123456789 out of 1 browser.
\`\`\`

\`revoke\` takes the id of a browser, or the beginning of it, or a person with all their accounts. The name of a browser is what the
browser says of itself. Baton notes at most once an hour that it saw one. Somebody who loses their access also loses it in their
browsers.

## Forget somebody

After \`baton people forget\` somebody may no longer talk to the agent, from any of their accounts. Baton keeps their conversations:
\`baton sessions list\` shows them. [\`--erase\`](#erase-somebody) removes those too. People who are listed in \`config.yaml\` may still talk to the agent, and the command says so.

\`\`\`
$ npx baton people forget telegram:123456789
Removed telegram:123456789.
\`\`\`

## Erase somebody

With \`--erase\` Baton also erases what they said and what is theirs, on all their linked accounts. \`--dry-run\` shows how much
that is. Then Baton asks, or takes \`--yes\`:

\`\`\`
$ npx baton people forget telegram:123456789 --erase --dry-run
Would erase telegram:123456789: 3 sessions with 7 messages, 2 messages in conversations of others, 2 files, 1 job, 2 processes, 1 day of usage.
$ npx baton people forget telegram:123456789 --erase --yes
Erased telegram:123456789: 3 sessions with 7 messages, 2 messages in conversations of others, 2 files, 1 job, 2 processes.
Scanned 42.0 MB in 3 files: nothing of theirs is left.
\`\`\`

| what | becomes |
| --- | --- |
| their conversations, wherever they are now, with everything in them | removed |
| their messages in conversations of others | \`[erased]\`, without name, author and files; not in the search any more |
| what they said in a group [before a message of somebody else](groups.md#what-was-said-before) | taken out of that message, which leaves the search |
| what they asked for there as long as the conversation lasts, and a title that Baton made of their first words | removed |
| what others and the agent said, also if it repeats their words; summaries, notes and other titles of those conversations | stays: the command counts the passages that are repeated |
| what others used in the person's conversations | stays, without the conversation |
| a conversation of somebody else that is in their private chat | ends, and is its owner's again; its jobs are paused |
| their jobs with all results, their processes with their output, their files, notes, approvals and usage | removed; what runs ends first |
| what is in their chat in [the page](web.md), their browsers and links | removed |
| their roles, accounts, requests and codes | removed; access first, so that they can't write meanwhile |

The order is: access, running answers, processes, then rows and files, last the person. If the command is cut off, run it again
with one of their accounts: it finishes the work. You need not stop the gateway. If the command can't empty a file because another
program uses it, it says so and fails; then stop the gateway and run it again.

Afterwards Baton writes the SQLite file anew and empties its log. That needs as much free disk space as the store has, and others
can't write meanwhile. Then Baton reads the database, its log, the readable copies of sessions, the results of jobs and the output of
processes, and looks for ids and passages that it erased. If it finds any, it says where and ends with exit code 1. For a store in
PostgreSQL, it writes the tables anew and searches them. It can't look into the server's files, its log and its backups.

Some things you must do yourself:

- Delete backups, archives and logs. Baton never changes these. It reads those in the home folder and lists the ones that still have
  something of that person. It does not know about copies elsewhere, or about blocks that a disk or a snapshot keeps.
- Remove the person from \`config.yaml\` first, and restart the gateway. Baton refuses to erase somebody who could write again at once.
- Messages without an author (imported, or saved before Baton stored authors) are nobody's in a shared conversation, and stay.
- The files that a person had the agent write into its working folder are yours, and stay.
- The platforms and the providers of models have their own copies.
`;
