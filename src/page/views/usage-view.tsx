/** What was used, by day, model, platform or, for owners, person: as bars, and as a table with sums. */
import { useMemo, useState } from "preact/hooks";
import type { WireUsage } from "../../web/wire.js";
import { useLoaded } from "../loaded.js";
import { isOwner } from "../me.js";
import { Theirs } from "./bits.js";
import { compact, costWords, dayWords, dollars, dollarsAlike, grouped, summed } from "./figures.js";
import { Section, Shown, View } from "./frame.js";
import { Table, type TableColumn } from "./table.js";
import { Bars } from "./usage/bars.js";
import { Plot } from "./usage/plot.js";
import { useFresh } from "./use-tick.js";

type UsedBy = WireUsage["by"];
type UsedRow = WireUsage["rows"][number];

const SPANS = [7, 30, 90] as const;
const KINDS: readonly { readonly by: UsedBy; readonly words: string; readonly ownerOnly?: true }[] = [
  { by: "day", words: "Day" },
  { by: "model", words: "Model" },
  { by: "platform", words: "Platform" },
  { by: "person", words: "Person", ownerOnly: true },
];
const SELDOM_S = 60;

export default function UsageView() {
  const [days, setDays] = useState<number>(30);
  const [by, setBy] = useState<UsedBy>("day");
  const loaded = useLoaded<WireUsage>(`/api/usage?days=${days}&by=${by}`, []);
  const { value, failure, reload } = loaded;
  useFresh(SELDOM_S, loaded);
  const tools = (
    <>
      <label class="row">
        Show
        <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {SPANS.map((span) => (
            <option key={span} value={span}>
              {span} days
            </option>
          ))}
        </select>
      </label>
      <label class="row">
        by
        <select value={by} onChange={(event) => setBy(event.currentTarget.value as UsedBy)}>
          {KINDS.filter(({ ownerOnly }) => !ownerOnly || isOwner()).map((kind) => (
            <option key={kind.by} value={kind.by}>
              {kind.words}
            </option>
          ))}
        </select>
      </label>
    </>
  );
  return (
    <View title="Usage" tools={tools}>
      <Shown value={value} failure={failure} reload={reload}>
        {(usage) => <Used usage={usage} days={days} />}
      </Shown>
    </View>
  );
}

function Used({ usage, days }: { readonly usage: WireUsage; readonly days: number }) {
  const used = usage.rows.filter(({ calls }) => calls > 0);
  const sums = summed(used);
  const title = KINDS.find(({ by }) => by === usage.by)?.words ?? "Name";
  return (
    <>
      {usage.limits === null || usage.limits === "" ? null : (
        <Section title="Limits">
          <p class="card view-text">{usage.limits}</p>
        </Section>
      )}
      {used.length === 0 ? (
        <p class="empty">Nothing was used in the last {days} days.</p>
      ) : (
        <>
          <div class="view-plots">
            {usage.by === "day" ? <ByDay days={usage.days} /> : <ByName rows={used} title={title} />}
          </div>
          <Table
            caption={`Usage in the last ${days} days, by ${title.toLowerCase()}`}
            columns={columns(title, usage.by)}
            rows={usage.by === "day" ? [...used].sort(newestFirst) : used}
            keyOf={({ name }, place) => (usage.by === "day" ? name : `${place} ${name}`)}
            foot={["All", grouped(sums.tokens), costWords(sums), grouped(sums.calls)]}
          />
          <p class="muted small">Days begin at midnight UTC. Costs are in US dollars.</p>
        </>
      )}
    </>
  );
}

const compacts = (counts: readonly number[]): string[] => counts.map(compact);

function ByDay({ days }: { readonly days: WireUsage["days"] }) {
  const plotted = useMemo(() => {
    return {
      days: days.map(({ day }) => day),
      tokens: days.map(({ tokens }) => tokens),
      costs: days.map(({ cost }) => cost),
    };
  }, [days]);
  return (
    <>
      <Plot
        days={plotted.days}
        title="Tokens by day"
        values={plotted.tokens}
        words={compact}
        axisWords={compacts}
      />
      <Plot
        days={plotted.days}
        title="Cost by day"
        values={plotted.costs}
        words={dollars}
        axisWords={dollarsAlike}
      />
    </>
  );
}

function ByName({ rows, title }: { readonly rows: readonly UsedRow[]; readonly title: string }) {
  const by = title.toLowerCase();
  return (
    <>
      <Bars title={`Tokens by ${by}`} rows={rows} figure="tokens" words={({ tokens }) => compact(tokens)} />
      <Bars title={`Cost by ${by}`} rows={rows} figure="cost" words={costWords} />
    </>
  );
}

function newestFirst(one: UsedRow, other: UsedRow): number {
  return one.name < other.name ? 1 : -1;
}

function columns(title: string, by: UsedBy): readonly TableColumn<UsedRow>[] {
  const nameOf = ({ name }: UsedRow): string => (by === "day" ? dayWords(name) : name);
  return [
    { title, cell: (row) => <Theirs text={nameOf(row)} /> },
    { title: "Tokens", kind: "number", cell: ({ tokens }) => grouped(tokens) },
    { title: "Cost", kind: "number", cell: costWords },
    { title: "Model calls", kind: "number", cell: ({ calls }) => grouped(calls) },
  ];
}
