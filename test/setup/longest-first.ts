/**
 * The order of the test files. Those that take longest go first, so that no worker is busy long after the others are done.
 * vitest knows how long a file took the last time; on a clean clone nothing was measured, and it goes by size.
 */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

export const LONGEST: readonly string[] = [
  "test/handoff/matrix.test.ts",
  "test/handoff/table.test.ts",
  "test/jobs/kill.test.ts",
  "src/adapter/whatsapp/baileys/adapter.test.ts",
  "test/memory/long-conversation.test.ts",
  "test/processes/environments.test.ts",
  "test/terminal/terminal.test.ts",
  "test/terminal/typing.test.ts",
  "src/adapter/matrix/adapter.test.ts",
  "src/adapter/signal/adapter.test.ts",
  "src/store/contract/postgres.test.ts",
  "test/memory/expiry.test.ts",
  "test/jobs/load.test.ts",
  "test/source/regexps.test.ts",
  "test/processes/holders.test.ts",
  "src/adapter/discord/adapter.test.ts",
  "src/adapter/whatsapp/adapter.test.ts",
  "src/process/processes.test.ts",
  "test/processes/background.test.ts",
  "src/adapter/slack/adapter.test.ts",
  "src/store/contract/file.test.ts",
  "src/adapter/telegram/adapter.test.ts",
  "test/processes-attach.test.ts",
  "test/platforms/hostile.test.ts",
  "test/platforms/slack.test.ts",
  "test/processes/sandbox-kill.test.ts",
  "src/process/host/host.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter((name) => !existsSync(name));
    if (gone.length > 0) throw new Error(`test/setup/longest-first.ts names files that are gone: ${gone}`);
    const rank = (file: TestSpecification): number => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, file.moduleId));
      return place < 0 ? LONGEST.length : place;
    };
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
