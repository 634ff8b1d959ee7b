// A small chart of values over time, with its newest value in words for whoever does not see it.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

const HEIGHT = 90;

export type Series = {
  /** Ms since 1970, ascending. */
  times: number[];
  values: number[];
};

export function Chart({
  title,
  newest,
  series,
  kind,
}: {
  title: string;
  newest: string;
  series: Series;
  kind: 'line' | 'bars';
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data: uPlot.AlignedData = [series.times.map((at) => at / 1000), series.values];
  useEffect(() => {
    const target = place.current;
    if (target === null) return;
    const made = new uPlot(optionsOf(target, kind), data, target);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height: HEIGHT }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [series.times.length, series.times.at(-1), series.values.at(-1)]);
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

function optionsOf(target: HTMLElement, kind: 'line' | 'bars'): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(target).getPropertyValue(name).trim();
  const axis = {
    stroke: () => colour('--quiet'),
    grid: { stroke: () => colour('--line') },
    ticks: { show: false },
    size: 36,
  };
  return {
    width: target.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      { ...axis, size: 22, space: 90, values: clockTexts },
      { ...axis, space: 26 },
    ],
    series: [
      {},
      {
        stroke: () => colour('--accent'),
        fill: () => colour('--tint'),
        width: 1.5,
        points: { show: false },
        ...(kind === 'bars' && uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [0.8, 24] }) } : {}),
      },
    ],
  };
}
