// Keeps what a finished run showed: docs/results/NAME.json (curve, settings, wall time, tokens, comparison with the
// starting model level by level), NAME.svg (the curve) and NAME.log (what the run printed).
//   node tools/result.mjs RUN_FOLDER CONFIG NAME [--log FILE] [--episodes 512] -- the command that made it
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { root } from './steps.mjs';

const words = process.argv.slice(2);
const split = words.indexOf('--');
const [folder, config, name] = words;
const option = (key, fallback) => {
  const at = words.indexOf(`--${key}`);
  return at > 0 && (split < 0 || at < split) ? words[at + 1] : fallback;
};
if (folder === undefined || config === undefined || name === undefined || split < 0) {
  console.error(
    'usage: node tools/result.mjs RUN_FOLDER CONFIG NAME [--log FILE] [--episodes 512] -- COMMAND',
  );
  process.exit(2);
}
const out = join(root, 'docs', 'results');
mkdirSync(out, { recursive: true });

const rows = readFileSync(join(folder, 'metrics.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const spec = JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8'));
const cli = join(root, 'apps', 'cli', 'dist', 'main.js');
const episodes = option('episodes', '512');
const measured = JSON.parse(
  execFileSync(
    process.execPath,
    [cli, 'eval', folder, config, '--compare', 'seedling', '--episodes', episodes, '--json'],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      cwd: root,
    },
  ),
);
const series = (metric) =>
  rows.filter((row) => metric in row.values).map((row) => [row.step, row.values[metric]]);
const sum = (metric) => series(metric).reduce((total, [, value]) => total + value, 0);
const attempts = existsSync(join(folder, 'attempts.json'))
  ? JSON.parse(readFileSync(join(folder, 'attempts.json'), 'utf8')).length
  : 1;
const brief = ({ successRate, successLow, successHigh, episodes: count }) => ({
  successRate,
  successLow,
  successHigh,
  episodes: count,
});
const result = {
  name,
  command: words.slice(split + 1).join(' '),
  machine: `${cpus().length} × ${cpus()[0].model.trim()}`,
  threads: spec.device?.threads ?? cpus().length,
  attempts,
  iterations: Math.max(...rows.map((row) => row.step)),
  trainingSeconds: Math.round(sum('time/step_seconds')),
  wallSeconds: Math.round((rows.at(-1).time - rows[0].time) / 1000),
  sampledTokens: sum('rollout/sampled_tokens'),
  trainedTokens: sum('update/tokens'),
  temperature: spec.validation.temperature,
  before: brief(measured.compare),
  after: brief(measured),
  levelByLevel: measured.comparison,
  curves: {
    success: series('rollout/success_rate'),
    validation: series('validation/success_rate'),
    validationLow: series('validation/success_low'),
    validationHigh: series('validation/success_high'),
    withinGroupDeviation: series('rollout/reward_std'),
    entropy: series('policy/entropy'),
    gradientNorm: series('policy/gradient_norm'),
    responseTokens: series('rollout/response_length'),
  },
};
writeFileSync(join(out, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
writeFileSync(join(out, `${name}.svg`), draw(result));
const log = option('log');
if (log !== undefined) copyFileSync(log, join(out, `${name}.log`));
const points = (value) => (100 * value).toFixed(1);
console.log(
  `${name}: ${points(result.before.successRate)} % → ${points(result.after.successRate)} %, level by level ` +
    `${points(result.levelByLevel.difference)} [${points(result.levelByLevel.low)}, ${points(result.levelByLevel.high)}] points, ` +
    `${(result.wallSeconds / 60).toFixed(1)} min; kept in docs/results (${readdirSync(out).length} files)`,
);

/** Success in training and on the fixed levels, over iterations. */
function draw({ curves, name: title, temperature }) {
  const [width, height, left, top, right, bottom] = [720, 320, 52, 40, 16, 40];
  const last = Math.max(
    1,
    ...curves.success.map(([step]) => step),
    ...curves.validation.map(([step]) => step),
  );
  const x = (step) => (left + (step / last) * (width - left - right)).toFixed(1);
  const y = (share) => (height - bottom - share * (height - top - bottom)).toFixed(1);
  const path = (points) =>
    points.map(([step, value], i) => `${i === 0 ? 'M' : 'L'}${x(step)} ${y(value)}`).join('');
  const bars = curves.validation
    .map(([step, value], i) => {
      const [low, high] = [curves.validationLow[i]?.[1] ?? value, curves.validationHigh[i]?.[1] ?? value];
      return `<line x1="${x(step)}" x2="${x(step)}" y1="${y(low)}" y2="${y(high)}" stroke="#1f6f8b" stroke-width="1.5"/><circle cx="${x(step)}" cy="${y(value)}" r="3.5" fill="#1f6f8b"/>`;
    })
    .join('');
  const grid = [0, 0.25, 0.5, 0.75, 1]
    .map(
      (share) =>
        `<line x1="${left}" x2="${width - right}" y1="${y(share)}" y2="${y(share)}" stroke="#ddd"/><text x="${left - 8}" y="${Number(y(share)) + 4}" text-anchor="end">${share * 100} %</text>`,
    )
    .join('');
  const ticks = [0, 0.25, 0.5, 0.75, 1]
    .map((part) => Math.round(part * last))
    .map((step) => `<text x="${x(step)}" y="${height - bottom + 18}" text-anchor="middle">${step}</text>`)
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="12" fill="#333">
<rect width="100%" height="100%" fill="#fff"/><text x="${left}" y="20" font-size="15" font-weight="bold">${title}: success</text>
${grid}${ticks}<text x="${(width + left) / 2}" y="${height - 6}" text-anchor="middle">iterations</text>
<path d="${path(curves.success)}" fill="none" stroke="#e0a458" stroke-width="1.3"/><path d="${path(curves.validation)}" fill="none" stroke="#1f6f8b" stroke-width="2"/>${bars}
<text x="${width - right}" y="20" text-anchor="end"><tspan fill="#c9852f">in training</tspan>  <tspan fill="#1f6f8b">on fixed levels, temperature ${temperature}, 95 % interval</tspan></text>
</svg>
`;
}
