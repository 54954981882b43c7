/**
 * Bars of one figure by day. Only for those who see: the table below says the same in words. The drawing has the colours of
 * the page, also after they change, and is as wide as its place.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { dayWords } from "../figures.js";
import { labelledPlaces } from "./plot-labels.js";

const HEIGHT_PX = 180;
const LABEL_PX = 84;
const AXIS_PX = 56;
const DAYS_PX = 26;
const MARGIN_PX = 8;
/** Labels end below the middle of their bar, so that the last bar can stand at the edge. */
const AT_END = 2;

export function Plot(props: {
  readonly title: string;
  readonly days: readonly string[];
  readonly values: readonly number[];
  readonly words: (value: number) => string;
  /** Beside the lines. */
  readonly axisWords: (values: readonly number[]) => string[];
}) {
  const { title, days, values, words, axisWords } = props;
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    return draw(parent, { days, values, words, axisWords, onPoint: setPointed });
  }, [days, values, words, axisWords]);
  const day = pointed === null ? undefined : days[pointed];
  return (
    <figure class="card view-plot" aria-hidden="true">
      <figcaption class="row view-between">
        <strong>{title}</strong>
        <span class="muted small">
          {pointed === null || day === undefined ? "" : `${dayWords(day)}: ${words(values[pointed] ?? 0)}`}
        </span>
      </figcaption>
      <div ref={place} class="view-plot-place" />
    </figure>
  );
}

interface Drawing {
  readonly days: readonly string[];
  readonly values: readonly number[];
  readonly words: (value: number) => string;
  /** Beside the lines. */
  readonly axisWords: (values: readonly number[]) => string[];
  readonly onPoint: (place: number | null) => void;
}

/** Returns what takes it away. */
function draw(parent: HTMLElement, drawing: Drawing): () => void {
  const end = new AbortController();
  void import("uplot").then(({ default: Plotter }) => {
    if (end.signal.aborted) return;
    let plot = make();
    function make(): uPlot {
      const { values } = drawing;
      const places = values.map((_, index) => index);
      return new Plotter(optionsFor(Plotter, parent, drawing), [places, [...values]], parent);
    }
    const resized = new ResizeObserver(() => plot.setSize({ width: widthOf(parent), height: HEIGHT_PX }));
    resized.observe(parent);
    const again = (): void => {
      plot.destroy();
      plot = make();
    };
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", again, { signal: end.signal });
    end.signal.addEventListener("abort", () => {
      resized.disconnect();
      plot.destroy();
    });
  });
  return () => end.abort();
}

function widthOf(parent: HTMLElement): number {
  return Math.max(120, Math.floor(parent.clientWidth));
}

function optionsFor(
  Plotter: typeof uPlot,
  parent: HTMLElement,
  { days, axisWords, onPoint }: Drawing,
): uPlot.Options {
  const style = getComputedStyle(parent);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `12px ${style.fontFamily}`;
  const bars = Plotter.paths.bars?.({ size: [0.7, 40], radius: 0.15 });
  const axis = { stroke: colour("--text-2"), font, ticks: { show: false } };
  return {
    width: widthOf(parent),
    height: HEIGHT_PX,
    padding: [MARGIN_PX, MARGIN_PX, 0, null],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.5, days.length - 0.5] },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    series: [
      {},
      {
        stroke: colour("--accent"),
        fill: colour("--accent"),
        width: 0,
        points: { show: false },
        ...(bars ? { paths: bars } : {}),
      },
    ],
    axes: [
      {
        ...axis,
        size: DAYS_PX,
        align: AT_END,
        gap: 10,
        grid: { show: false },
        splits: ({ width }) => labelledPlaces(days.length, Math.floor((width - AXIS_PX) / LABEL_PX)),
        values: (_, places) => places.map((place) => dayWords(days[place] ?? "")),
      },
      {
        ...axis,
        size: AXIS_PX,
        grid: { stroke: colour("--line"), width: 1 },
        values: (_, values) => axisWords(values),
      },
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
  };
}
