// node scripts/humaneval.mjs <HumanEval.jsonl.gz>: writes data/humaneval.jsonl (solutions with a fault) and data/humaneval-write.jsonl
// (without a body). The calls that a task's own check makes become its tests, with what the solution gives; a fault is one small
// change of the solution that at least one of the tests that may be shown finds, and that ends.
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createStream } from '@espalier/plugin-kit';
import { close, run, verdictsOf } from './sandbox.mjs';
import { parseValue } from '../dist/values.js';

const mostTests = 12;
const mostFaults = 2;
/** Several answers are right. */
const ambiguous = new Set(['HumanEval/32']);

const changes = [
  [/<=/g, '<'],
  [/>=/g, '>'],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/==/g, '!='],
  [/!=/g, '=='],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' + '],
  [/ \/\/ /g, ' * '],
  [/ % /g, ' // '],
  [/\+= /g, '-= '],
  [/-= /g, '+= '],
  [/ and /g, ' or '],
  [/ or /g, ' and '],
  [/\bTrue\b/g, 'False'],
  [/\bFalse\b/g, 'True'],
  [/\bnot (?!in\b)/g, ''],
  [/\bif (?!not\b)/g, 'if not '],
  [/\bmax\(/g, 'min('],
  [/\bmin\(/g, 'max('],
  [/\.lower\(\)/g, '.upper()'],
  [/\.upper\(\)/g, '.lower()'],
  [/\b0\b/g, '1'],
  [/\b1\b/g, '2'],
  [/\b2\b/g, '3'],
  [/\breverse=True/g, 'reverse=False'],
  [/\bsorted\(/g, 'list('],
  [/\[::-1\]/g, '[:]'],
  [/ \+ 1\b/g, ''],
  [/ - 1\b/g, ''],
];

/** Every program that differs from one by one change. */
const faultsOf = (body) =>
  changes.flatMap(([pattern, text]) =>
    [...body.matchAll(pattern)].map(
      ({ index, 0: found }) => body.slice(0, index) + text + body.slice(index + found.length),
    ),
  );

const recorder = (entry) => `
def record(place):
    import copy
    calls = []
    def candidate(*given):
        kept = copy.deepcopy(given)
        result = ${entry}(*given)
        calls.append([list(kept), result])
        return result
    check(candidate)
    return len(calls) if place < 0 else calls[place]
`;

const rows = gunzipSync(readFileSync(process.argv[2]))
  .toString()
  .trim()
  .split('\n')
  .map((row) => JSON.parse(row));
const repairs = [];
const writes = [];
for (const { task_id: id, prompt, canonical_solution: body, test, entry_point: entry } of rows) {
  if (ambiguous.has(id)) continue;
  const name = id.toLowerCase();
  const solution = `${prompt}${body}`.trimEnd();
  const base = { name, language: 'python', entry, text: '', solution: solution.trimStart() };
  const record = `${solution}\n${test}\n${recorder(entry)}`;
  const ask = { ...base, entry: 'record' };
  const places = [-1, ...Array.from({ length: 60 }, (_, place) => place)];
  const { answers } = await run(
    ask,
    record,
    places.map((place) => ({ args: [place] })),
    20_000,
  );
  const seen = new Set();
  const tests = answers.slice(1).flatMap(({ kind, text }) => {
    const value = kind === 'value' ? parseValue(text) : undefined;
    const key = JSON.stringify(value?.[0]);
    if (value === undefined || text.length > 1500 || seen.has(key)) return [];
    seen.add(key);
    return [{ args: value[0], expected: value[1] }];
  });
  const task = { ...base, tests: tests.slice(0, mostTests) };
  if (tests.length < 3 || !(await verdictsOf(task, task.solution)).every((verdict) => verdict === 'passed')) {
    console.log(`${name}: left out, ${tests.length} tests`);
    continue;
  }
  writes.push({ ...task, name: `${name}/write`, broken: `${prompt}    pass`.trim() });
  const found = new Set();
  const stream = createStream(Number(id.split('/')[1]));
  for (const changed of stream.shuffle([...new Set(faultsOf(body))]).slice(0, 8)) {
    if (found.size === mostFaults) break;
    const broken = `${prompt}${changed}`.trim();
    const verdicts = await verdictsOf(task, broken);
    const key = verdicts.join(' ');
    const shown = verdicts.slice(0, Math.max(1, Math.round(verdicts.length / 2)));
    if (found.has(key) || verdicts.some((verdict) => /cut_off|not_run|crashed|exited/.test(verdict)))
      continue;
    if (shown.every((verdict) => verdict === 'passed')) continue;
    found.add(key);
    repairs.push({ ...task, name: `${name}/${found.size}`, broken });
  }
}
await close();
const write = (set, tasks) =>
  writeFileSync(
    new URL(`../data/${set}.jsonl`, import.meta.url),
    `${tasks.map((task) => JSON.stringify(task)).join('\n')}\n`,
  );
write('humaneval', repairs);
write('humaneval-write', writes);
console.log(`${repairs.length} faults, ${writes.length} functions`);
