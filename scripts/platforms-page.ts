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

Baton splits longer answers into several messages. WhatsApp with a personal number can also edit.
To add a platform, see [writing an adapter](../writing-an-adapter.md).
`;
}

function row(title: string, { maxText, unit, edit, threads, maxFile }: PlatformLimits): string {
  const longest = `${maxText.toLocaleString("en-US")} ${unit === "bytes" ? "bytes" : "characters"}`;
  const files = maxFile === undefined ? "no" : `up to ${maxFile / 2 ** 20} MiB`;
  return `| ${[title, longest, edit ? "yes" : "no", threads ? "yes" : "no", files].join(" | ")} |`;
}
