/** @file Six small charts of one entry, or of two over each other. The background is left to the page. */
import { type CurveName, curveKinds, type CurveKind } from '../collect/curves.js';
import type { EntryResult } from '../collect/result.js';
import { type Chart, drawChart, escapeText, size } from './chart.js';
import { lineOf, validationLine } from './lines.js';

const colours = ['#2f81f7', '#d9822b'];
const grey = '#7d8590';
const columns = 3;
const header = 44;
const shown: readonly CurveName[] = [
  'rewardDeviation',
  'groupsWithoutSignal',
  'entropy',
  'gradientNorm',
  'responseLength',
];

/** Draws entries into one picture; a second one gets a second colour. */
export function drawPanel(title: string, entries: readonly EntryResult[]): string {
  const charts = [successChart(entries), ...shown.map((curve) => curveChart(entries, curve))];
  const lastStep = Math.max(1, ...entries.flatMap(({ seeds }) => seeds.map(({ iterations }) => iterations)));
  const width = columns * size.width;
  const height = header + Math.ceil(charts.length / columns) * size.height;
  const drawn = charts.map((chart, index) =>
    drawChart(
      chart,
      (index % columns) * size.width,
      header + Math.floor(index / columns) * size.height,
      lastStep,
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11" fill="${grey}">`,
    `<text x="8" y="18" font-size="15" font-weight="700">${escapeText(title)}</text>`,
    `<text x="8" y="36">${entries.map((entry, index) => describe(entry, index, entries.length)).join('   ')}</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

function describe({ name, seeds }: EntryResult, index: number, of: number): string {
  const band = seeds.length === 1 ? 'seed 1' : `mean of ${seeds.length} seeds, band from lowest to highest`;
  const words = of === 1 ? band : `${name} (${band})`;
  return `<tspan fill="${colours[index]}">●</tspan> ${escapeText(words)}`;
}

function successChart(entries: readonly EntryResult[]): Chart {
  return {
    title: 'success',
    unit: '%: on fixed states (dots), in training (thin)',
    percent: true,
    lines: entries.flatMap((entry, index) => {
      const colour = colours[index] ?? grey;
      return [
        { points: lineOf(entry, 'success'), colour, isFaint: true },
        { points: validationLine(entry), colour, hasMarks: true },
      ];
    }),
  };
}

function curveChart(entries: readonly EntryResult[], curve: CurveName): Chart {
  const { title, unit, percent }: CurveKind = curveKinds[curve];
  return {
    title,
    unit,
    ...(percent === undefined ? {} : { percent }),
    lines: entries.map((entry, index) => ({ points: lineOf(entry, curve), colour: colours[index] ?? grey })),
  };
}
