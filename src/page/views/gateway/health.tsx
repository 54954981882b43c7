/** How the gateway does: its version, what it holds, how quickly it answers, and what a check has found. */
import type { WireHealth } from "../../../web/wire.js";
import { Time } from "../../ui.js";
import { sizeText } from "../../words.js";
import { Facts } from "../bits.js";
import { grouped, spanWords } from "../figures.js";
import { Section, Shown, View } from "../frame.js";
import { FindingList } from "./finding-list.js";
import { useOwner } from "./use-owner.js";

export function Health() {
  const { value, failure, reload } = useOwner<WireHealth>("health");
  return (
    <View title="Health">
      <Shown value={value} failure={failure} reload={reload}>
        {(health) => (
          <>
            <div class="card">
              <HealthFacts health={health} />
            </div>
            <Section title="Findings">
              <FindingList findings={health.findings} />
            </Section>
          </>
        )}
      </Shown>
    </View>
  );
}

function HealthFacts({ health }: { readonly health: WireHealth }) {
  const { version, node, startedAt, rssBytes, storeBytes, streams, loopDelay } = health;
  return (
    <Facts
      of={[
        ["Baton", version],
        ["Node.js", node],
        ["Started", <Time key="started" at={startedAt} />],
        ["Memory", sizeText(rssBytes)],
        ["Store", storeBytes === null ? "not known" : sizeText(storeBytes)],
        ["Open pages", grouped(streams)],
        ["How late timers were in the last minute", latenessWords(loopDelay)],
        ["Oldest message to answer", ageWords(health.oldestInboxMs)],
        ["Oldest message to send", ageWords(health.oldestOutboxMs)],
      ]}
    />
  );
}

function latenessWords({ mean, p99, max }: WireHealth["loopDelay"]): string {
  return `${msWords(mean)} on average, 99 % of them at most ${msWords(p99)}, none more than ${msWords(max)}`;
}

function msWords(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function ageWords(ms: number | null): string {
  return ms === null ? "nothing waits" : `waits for ${spanWords(ms)}`;
}
