// node scripts/quixbugs.mjs <quixbugs_tasks.jsonl>: writes data/quixbugs.jsonl from the rows of QuixBugs (name, buggy_py, correct_py,
// tests). The comment behind a program becomes the text of the task; a second solution in a comment is left out.
import { readFileSync, writeFileSync } from 'node:fs';
import { close, run } from './sandbox.mjs';

/** A test that takes the solution longer is left out: some of QuixBugs' solutions are exponential. */
const mostMs = 1000;

const split = (program) => {
  const found = /^([^]*?)\n"""([^]*?)"""/.exec(`\n${program}`);
  return found === null ? [program.trim(), ''] : [found[1].trim(), found[2].trim()];
};
/** Numbers with a point stay such. */
const values = (raw) => JSON.parse(raw.replace(/(?<=[[,]\s*)(-?\d+\.0)(?=\s*[,\]])/g, '{"number":"$1"}'));

const rows = readFileSync(process.argv[2], 'utf8').trim().split('\n');
const tasks = rows.map((row) => {
  const { name, buggy_py: buggy, correct_py: correct } = JSON.parse(row);
  const tests = values(row.slice(row.indexOf('"tests": ') + 9, -1)).map(([args, expected]) => ({
    args: Array.isArray(args) ? args : [args],
    expected,
    // the second argument is the precision that is asked for
    ...(name === 'sqrt' && { tolerance: args[1] }),
  }));
  const [broken, text] = split(buggy);
  return {
    name: `quixbugs/${name}`,
    language: 'python',
    entry: name,
    text,
    broken,
    solution: split(correct)[0],
    tests,
    sequences: 'alike',
  };
});
for (const task of tasks) {
  const isQuick = [];
  for (const test of task.tests) {
    let isDone = false;
    // a busy machine may be slow once
    for (let attempt = 0; attempt < 3 && !isDone; attempt++)
      isDone = (await run(task, task.solution, [test], mostMs)).end === 'finished';
    isQuick.push(isDone);
  }
  const left = task.tests.filter((_, place) => isQuick[place]);
  if (left.length < task.tests.length)
    console.log(`${task.name}: ${left.length} of ${task.tests.length} tests`);
  task.tests = left;
}
await close();
writeFileSync(
  new URL('../data/quixbugs.jsonl', import.meta.url),
  `${tasks.map((task) => JSON.stringify(task)).join('\n')}\n`,
);
