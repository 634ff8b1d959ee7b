// A small chart of values over time, with its newest value in words for whoever does not see it.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { type Series, type Span, topOf } from './lag.ts';

const HEIGHT = 90;
/** Of a character of an axis. */
const CHARACTER_PX = 7;

type ChartProps = {
  title: string;
  newest: string;
  series: Series;
  kind: 'line' | 'bars';
  /** What the axis of time shows. */
  span: Span;
  /** The axis of values goes up to it at least. */
  least?: number;
  shaded?: readonly Span[];
};

export function Chart(props: ChartProps) {
  const { title, newest, series } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shown = useRef(props);
  shown.current = props;
  const data: uPlot.AlignedData = [series.times.map((at) => at / 1000), series.values];
  useEffect(() => {
    const target = place.current;
    if (target === null) return;
    const made = new uPlot(optionsOf(target, shown), data, target);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height: HEIGHT }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [series]);
  return (
    <figure class="chart">
      <figcaption>
        {title} <b>{newest}</b>
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}

function clockTexts(_plot: uPlot, seconds: number[]): string[] {
  return seconds.map((at) => new Date(at * 1_000).toLocaleTimeString('en-GB', { timeStyle: 'medium' }));
}

function optionsOf(target: HTMLElement, shown: { readonly current: ChartProps }): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(target).getPropertyValue(name).trim();
  const axis = {
    stroke: () => colour('--quiet'),
    grid: { stroke: () => colour('--line') },
    ticks: { show: false },
  };
  const { bars } = uPlot.paths;
  return {
    width: target.clientWidth,
    height: HEIGHT,
    // Half a label: none is cut where an axis ends.
    padding: [8, 30, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: () => [shown.current.span.from / 1_000, shown.current.span.to / 1_000] },
      y: { range: () => [0, topOf(shown.current.series, shown.current.least)] },
    },
    axes: [
      { ...axis, size: 22, space: 70, values: clockTexts },
      {
        ...axis,
        space: 26,
        // Whole ones: seconds and events.
        incrs: [1, 2, 5]
          .flatMap((one) => [0, 1, 2, 3, 4, 5].map((zeros) => one * 10 ** zeros))
          .toSorted((a, b) => a - b),
        size: (_plot, texts) => 12 + CHARACTER_PX * Math.max(3, ...(texts ?? []).map(({ length }) => length)),
      },
    ],
    hooks: { drawClear: [(plot) => shade(plot, shown.current.shaded ?? [], colour('--bad-back'))] },
    series: [
      {},
      {
        stroke: () => colour('--accent'),
        fill: () => colour('--tint'),
        width: 1.5,
        points: { show: false },
        // Each as long as its minute; of the last one, up to now.
        ...(shown.current.kind === 'bars' && bars ? { paths: bars({ size: [1, Infinity], align: 1 }) } : {}),
      },
    ],
  };
}

/** Behind everything else. */
function shade(plot: uPlot, spans: readonly Span[], colour: string): void {
  const { ctx, bbox } = plot;
  const right = bbox.left + bbox.width;
  ctx.fillStyle = colour;
  for (const { from, to } of spans) {
    const [begin, end] = [from, to].map((at) =>
      Math.min(right, Math.max(bbox.left, plot.valToPos(at / 1_000, 'x', true))),
    );
    ctx.fillRect(begin ?? 0, bbox.top, Math.max(2, (end ?? 0) - (begin ?? 0)), bbox.height);
  }
}
