/** @file Prints the figures of both halves, and what was found of each run. */
import { alarmStep, type JudgedRun, type Score, scoreRuns } from './judge.js';
import type { Half } from './record.js';

const halves: readonly Half[] = ['tuning', 'held-back'];
const levels = ['warning', 'collapsed'] as const;

export function printScores(
  judged: readonly JudgedRun[],
  json: boolean,
  print: (line: string) => void,
): void {
  const rows = halves.flatMap((half) =>
    levels.map((level) => ({
      half,
      level,
      ...scoreRuns(
        judged.filter(({ run }) => run.half === half),
        level,
      ),
    })),
  );
  const runs = judged.map((one) => ({
    family: one.run.family,
    half: one.run.half,
    seed: one.run.seed,
    outcome: one.outcome,
    halvedAt: one.halvedAt ?? null,
    warningAt: alarmStep(one, 'warning') ?? null,
    collapsedAt: alarmStep(one, 'collapsed') ?? null,
    rules: firstRules(one),
  }));
  if (json) return print(JSON.stringify({ scores: rows, runs }));
  print(
    '| half | alarm | healthy | collapsing | neither | precision | recall | false alarms / 100 steps | median lead |',
  );
  print('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const { half, level, ...score } of rows) print(`| ${half} | ${level} | ${cells(score)} |`);
  print('');
  for (const { family, seed, half, outcome, halvedAt, warningAt, collapsedAt, rules } of runs)
    print(
      `${family} ${seed} (${half}): ${outcome}${halvedAt === null ? '' : `, halved at ${halvedAt}`}; warning ${warningAt ?? '–'}, collapsed ${collapsedAt ?? '–'}${rules === '' ? '' : `: ${rules}`}`,
    );
}

const cells = (score: Score): string =>
  [
    score.healthy,
    score.collapsing,
    score.neither,
    score.precision.toFixed(2),
    score.recall.toFixed(2),
    score.falseAlarmsPer100Steps.toFixed(2),
    score.medianLead,
  ].join(' | ');

/** The rules that fired when the first alarm came. */
const firstRules = ({ healths }: JudgedRun): string =>
  Object.keys(healths.find(({ state }) => state !== 'healthy')?.streaks ?? {}).join(', ');
