/** @file Curves of one metric as SVG: a frame, its limits in numbers, one line per run. */

export interface Curve {
  readonly label: string;
  readonly points: readonly (readonly [step: number, value: number])[];
}

const width = 720;
const height = 360;
const margin = 56;
const colours = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#8c564b', '#17becf', '#7f7f7f'];

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Draws the curves. Values that are not finite leave a gap. */
export function drawCurves(title: string, curves: readonly Curve[]): string {
  const all = curves.flatMap(({ points }) => points.filter(([, value]) => Number.isFinite(value)));
  const lastStep = Math.max(1, ...all.map(([step]) => step));
  const values = all.map(([, value]) => value);
  const [low, high] = values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)];
  const range = high === low ? 1 : high - low;
  const x = (step: number): string => (margin + (step / lastStep) * (width - 2 * margin)).toFixed(1);
  const y = (value: number): string =>
    (height - margin - ((value - low) / range) * (height - 2 * margin)).toFixed(1);
  const text = (at: string, words: string, more = ''): string => `<text ${at}${more}>${escape(words)}</text>`;
  const lines = curves.flatMap(({ label, points }, index) => {
    const colour = colours[index % colours.length] ?? '';
    return [
      ...segmentsOf(points).map(
        (part) =>
          `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${part.map(([step, value]) => `${x(step)},${y(value)}`).join(' ')}"/>`,
      ),
      text(`x="${margin + 8}" y="${margin + 16 * (index + 1)}"`, label, ` fill="${colour}"`),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<rect x="${margin}" y="${margin}" width="${width - 2 * margin}" height="${height - 2 * margin}" fill="none" stroke="#999"/>`,
    text(`x="${margin}" y="${margin - 12}"`, title, ' font-weight="bold"'),
    text(`x="${margin - 6}" y="${height - margin}"`, low.toPrecision(3), ' text-anchor="end"'),
    text(`x="${margin - 6}" y="${margin + 10}"`, high.toPrecision(3), ' text-anchor="end"'),
    text(`x="${width - margin}" y="${height - margin + 18}"`, `step ${lastStep}`, ' text-anchor="end"'),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function segmentsOf(points: Curve['points']): Curve['points'][] {
  const parts: (readonly [number, number])[][] = [[]];
  for (const point of points) {
    if (Number.isFinite(point[1])) parts.at(-1)?.push(point);
    else parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}
