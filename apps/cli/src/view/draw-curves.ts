/** @file Curves of one metric as SVG without anything outside it: a frame with ticks, a line and a band per group of seeds, a legend. */

import { bandsOf, createScale, type Curve, rangeOf, type Scale, segmentsOf } from '@espalier/report';

const width = 760;
const plot = { left: 64, top: 44, right: 24, height: 280 };
const colours = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#8c564b', '#17becf', '#7f7f7f'];
const longestLabel = 90;

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const text = (at: string, words: string): string => `<text ${at}>${escape(words)}</text>`;

/** Draws the curves. Values that are not finite leave a gap; a band is drawn where all runs have a value. @param marks steps at which something happened */
export function drawCurves(
  title: string,
  curves: readonly Curve[],
  marks: readonly { readonly step: number; readonly words: string }[] = [],
): string {
  const all = curves.flatMap(({ runs }) => runs.flat().filter(([, value]) => Number.isFinite(value)));
  const steps = all.map(([step]) => step);
  const x = createScale(Math.min(0, ...steps), Math.max(1, ...steps), plot.left, width - plot.right, 1);
  const y = createScale(...rangeOf(all.map(([, value]) => value)), plot.top + plot.height, plot.top);
  const legendTop = plot.top + plot.height + 52;
  const height = legendTop + 18 * curves.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" fill="#333">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(`x="${plot.left}" y="24" font-size="15" font-weight="bold"`, title),
    ...y.ticks.flatMap((value) => [
      `<path d="M${plot.left} ${y.at(value)}H${width - plot.right}" stroke="#e5e5e5"/>`,
      text(`x="${plot.left - 8}" y="${y.at(value)}" dy="4" text-anchor="end"`, y.write(value)),
    ]),
    ...x.ticks.map((step) =>
      text(`x="${x.at(step)}" y="${plot.top + plot.height + 18}" text-anchor="middle"`, x.write(step)),
    ),
    `<path d="M${plot.left} ${plot.top}V${plot.top + plot.height}H${width - plot.right}" fill="none" stroke="#999"/>`,
    text(
      `x="${(plot.left + width - plot.right) / 2}" y="${plot.top + plot.height + 36}" text-anchor="middle"`,
      'step',
    ),
    ...marks.map(
      ({ step, words }) =>
        `<path d="M${x.at(step)} ${plot.top}V${plot.top + plot.height}" stroke="#b00020" stroke-dasharray="3 3"><title>${escape(words)}</title></path>`,
    ),
    ...curves.flatMap(({ runs }, index) => drawGroup(runs, colourOf(index), x, y)),
    ...curves.flatMap(({ label }, index) => drawLabel(label, colourOf(index), legendTop + 18 * index)),
    '</svg>',
    '',
  ].join('\n');
}

const colourOf = (index: number): string => colours[index % colours.length] ?? '';

function drawLabel(label: string, colour: string, top: number): string[] {
  const shown = label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;
  return [
    `<path d="M${plot.left} ${top - 4}h22" stroke="${colour}" stroke-width="3"/>`,
    text(`x="${plot.left + 30}" y="${top}"`, shown),
  ];
}

function drawGroup(runs: Curve['runs'], colour: string, x: Scale, y: Scale): string[] {
  const parts = segmentsOf(bandsOf(runs));
  const bands = parts
    .filter((part) => runs.length > 1 && part.length > 1)
    .map((part) => {
      const upper = part.map(({ step, high }) => `${x.at(step)},${y.at(high)}`);
      const lower = part.map(({ step, low }) => `${x.at(step)},${y.at(low)}`).reverse();
      return `<polygon fill="${colour}" fill-opacity="0.15" points="${[...upper, ...lower].join(' ')}"/>`;
    });
  const lines = parts.map((part) =>
    part.length === 1
      ? part
          .map(({ step, mean }) => `<circle fill="${colour}" cx="${x.at(step)}" cy="${y.at(mean)}" r="2.5"/>`)
          .join('')
      : `<polyline fill="none" stroke="${colour}" stroke-width="1.8" stroke-linejoin="round" points="${part.map(({ step, mean }) => `${x.at(step)},${y.at(mean)}`).join(' ')}"/>`,
  );
  return [...bands, ...lines];
}
