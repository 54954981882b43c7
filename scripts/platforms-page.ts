// docs/platforms/README.md: what each platform can do, from the manifests.
import type { PlatformLimits } from "../src/adapter/adapter.js";
import { manifestOf } from "../src/adapter/manifest.js";
import { platforms, platformTraits } from "../src/session/platform.js";

export function platformsPage(): string {
  const rows = platforms().flatMap((platform) => {
    const limits = manifestOf(platform)?.limits;
    return limits ? [row(`[${platformTraits(platform).title}](${platform}.md)`, limits)] : [];
  });
  return `# Platforms

Each page says how to connect a platform, what Baton can do there, and what it promises about messages.

| platform | longest message | answers grow while the agent writes | threads | files sent |
| --- | --- | --- | --- | --- |
${rows.join("\n")}

[The page in the browser](../web.md) is a platform too, \`web\`. It needs no account elsewhere.

Baton splits longer answers into several messages. WhatsApp with a personal number can also edit.
To add a platform, see [writing an adapter](../writing-an-adapter.md).

## Several bots

You can run several bots of one platform, for example one for work and one for the family. Each has a name that begins with the
platform's: \`telegram-work\`.

\`\`\`sh
npx baton setup telegram --as work   # asks for the second bot's token, tries it, and saves it as platforms.telegram-work
\`\`\`

\`\`\`yaml
platforms:
  telegram-work:
    like: telegram
    token: { file: ~/.baton/secrets/telegram-work }
people:
  owners: { telegram: ["11111"], telegram-work: ["11111"] } # each bot has its own list of people
\`\`\`

- To Baton a further bot is a platform of its own: it has its own conversations, people, home channel, reset policy and settings
  (\`busy.byPlatform.telegram-work\`). People who write to both bots are two accounts; [link them](../people.md) to make them one person.
- Its settings have variables such as \`BATON_PLATFORMS_TELEGRAM_WORK_TOKEN\`. With variables alone, also set
  \`BATON_PLATFORMS_TELEGRAM_WORK_LIKE=telegram\`.
- \`/handoff telegram-work\` moves a conversation there, as to every other platform.
- Baton refuses the same account twice: two connections of one bot would take each other's messages.

## Reactions

By default reactions of people mean nothing. You can give some of them a meaning: a command, or words that are sent to the agent.

\`\`\`yaml
reactions:
  👎: /retry
  🛑: /stop
  ":ship-it:": Yes, do that. # a custom emoji, by its name
\`\`\`

A reaction counts only on the latest answer of a conversation, and only from somebody who may talk to the agent there. It counts once:
if you take it off and put it on again, nothing happens. Skin tones make no difference. It acts with the rights of the person who
reacted, and counts as a message against their [limits](../limits.md).

| platform | what it needs |
| --- | --- |
| Telegram | nothing in a private chat; in a group the bot must be an administrator |
| Discord, Signal, Matrix, Mattermost, WhatsApp | nothing |
| Slack | the scope \`reactions:read\` and the event \`reaction_added\`: the [manifest](slack.md) has both. Add them if your app is older |
| Feishu / Lark | the event \`im.message.reaction.created_v1\` ([set it up](feishu.md#set-it-up)) |

Slack, Mattermost and Feishu send names instead of emoji. Baton knows the names of common ones, so 👎 works there too. You can also
write \`:name:\`, as the platform calls it.
`;
}

function row(title: string, { maxText, unit, edit, threads, maxFile }: PlatformLimits): string {
  const longest = `${maxText.toLocaleString("en-US")} ${unit === "bytes" ? "bytes" : "characters"}`;
  const files = maxFile === undefined ? "no" : `up to ${maxFile / 2 ** 20} MiB`;
  return `| ${[title, longest, edit ? "yes" : "no", threads ? "yes" : "no", files].join(" | ")} |`;
}
