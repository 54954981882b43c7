/** The gateway at a glance: what is up, what runs, what waits and what needs somebody. Each card leads to the whole. */
import type { ComponentChildren } from "preact";
import type {
  WireDelivery,
  WireHealth,
  WirePage,
  WirePeople,
  WirePlatform,
  WireRunningTurn,
} from "../../../web/wire.js";
import { Link } from "../../router.js";
import { WorkList } from "../account/work-list.js";
import { Badge, Theirs } from "../bits.js";
import { spanWords } from "../figures.js";
import { Section, Shown, View } from "../frame.js";
import { toneOf } from "../state-words.js";
import { FindingList } from "./finding-list.js";
import { type ItemsOf, useOwner } from "./use-owner.js";

export function Overview() {
  const health = useOwner<WireHealth>("health");
  return (
    <View title="Overview">
      <div class="view-grid">
        <PlatformCard />
        <TurnCard />
        <WaitingCard health={health.value} />
        <DecisionCard />
        <RequestCard />
      </div>
      <Section title="Work in progress">
        <WorkList />
      </Section>
      <Section title="Findings">
        <Shown value={health.value} failure={health.failure} reload={health.reload}>
          {({ findings }) => <FindingList findings={findings.filter(({ level }) => level !== "ok")} />}
        </Shown>
      </Section>
    </View>
  );
}

function Card(props: {
  readonly title: string;
  readonly href: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card view-glance">
      <h2>
        <Link href={props.href}>{props.title}</Link>
      </h2>
      {props.children}
    </section>
  );
}

function PlatformCard() {
  const { value, failure, reload } = useOwner<ItemsOf<WirePlatform>>("platforms");
  return (
    <Card title="Platforms" href="/gateway/platforms">
      <Shown
        value={value}
        failure={failure}
        reload={reload}
        isEmpty={({ items }) => items.length === 0}
        empty="No platform is set up."
      >
        {({ items }) => (
          <ul class="view-lines">
            {items.map(({ platform, title, state }) => (
              <li key={platform} class="row view-between">
                <Theirs text={title} />
                <Badge tone={toneOf(state)}>{state}</Badge>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Card>
  );
}

function TurnCard() {
  const { value, failure, reload } = useOwner<ItemsOf<WireRunningTurn>>("turns");
  return (
    <Card title="Turns" href="/gateway/turns">
      <Shown value={value} failure={failure} reload={reload}>
        {({ items }) => (
          <Figure value={String(items.length)} words={items.length === 1 ? "runs now" : "run now"} />
        )}
      </Shown>
    </Card>
  );
}

/** Its parent tells if it can't be read. */
function WaitingCard({ health }: { readonly health: WireHealth | null }) {
  if (health === null) return null;
  const { oldestInboxMs, oldestOutboxMs } = health;
  return (
    <Card title="Waiting messages" href="/gateway/inbox">
      <ul class="view-lines">
        <li>
          <Link href="/gateway/inbox">To be answered</Link>: {waitingWords(oldestInboxMs)}
        </li>
        <li>
          <Link href="/gateway/outbox/waiting">To be sent</Link>: {waitingWords(oldestOutboxMs)}
        </li>
      </ul>
    </Card>
  );
}

function waitingWords(oldestMs: number | null): string {
  return oldestMs === null ? "none" : `the oldest waits for ${spanWords(oldestMs)}`;
}

function DecisionCard() {
  const failed = useOwner<WirePage<WireDelivery>>("outbox?state=failed");
  const unknown = useOwner<WirePage<WireDelivery>>("outbox?state=unknown");
  return (
    <Card title="Needs a decision" href="/gateway/outbox/failed">
      <Shown value={failed.value} failure={failed.failure} reload={failed.reload}>
        {(page) => (
          <p>
            <Link href="/gateway/outbox/failed">Not sent</Link>: {countOf(page)}
          </p>
        )}
      </Shown>
      <Shown value={unknown.value} failure={unknown.failure} reload={unknown.reload}>
        {(page) => (
          <p>
            <Link href="/gateway/outbox/unknown">May have arrived</Link>: {countOf(page)}
          </p>
        )}
      </Shown>
    </Card>
  );
}

function RequestCard() {
  const { value, failure, reload } = useOwner<WirePeople>("people");
  return (
    <Card title="Pairing requests" href="/gateway/people">
      <Shown value={value} failure={failure} reload={reload}>
        {({ requests }) => {
          const open = requests.filter(({ isDenied }) => !isDenied).length;
          return <Figure value={String(open)} words={open === 1 ? "person waits" : "people wait"} />;
        }}
      </Shown>
    </Card>
  );
}

function Figure({ value, words }: { readonly value: string; readonly words: string }) {
  return (
    <p>
      <span class="view-figure">{value}</span> {words}
    </p>
  );
}

/** Of the first page; there may be more. */
function countOf({ items, nextCursor }: WirePage<unknown>): ComponentChildren {
  if (items.length === 0) return "none";
  return (
    <Badge tone="warn">
      {items.length}
      {nextCursor === null ? "" : "+"}
    </Badge>
  );
}
