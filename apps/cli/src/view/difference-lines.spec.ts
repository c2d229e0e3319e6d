import { expect, it } from 'vitest';
import { differenceLines } from './difference-lines.js';

it('heads each column with its run, however long a value is, and ends with the health', () => {
  const differences = [
    { path: 'steps', values: [5, 6] },
    { path: 'monitor.onCollapse.change.optimizer.learningRate.times', values: ['x'.repeat(60), undefined] },
  ];
  const collapsed = { state: 'collapsed', since: 4, evidence: 'much' } as const;
  const lines = differenceLines(['runs/a', 'runs/b'], differences, [undefined, collapsed]);
  expect(lines.map((line) => line.indexOf(line.trimEnd().split(/ {2,}/).at(-1) ?? ''))).toEqual(
    lines.map(() => lines[0]?.indexOf('runs/b')),
  );
  expect(lines[2]).toMatch(/times {2}"x{38}… {2}–$/);
  expect(lines.at(-1)).toMatch(/^health +– +collapsed since step 4$/);
});

it('is empty where nothing differs and nothing was checked', () => {
  expect(differenceLines(['a'], [], [undefined])).toEqual([]);
  const healthy = { state: 'healthy', since: 0, evidence: '' } as const;
  const unjudged = { ...healthy, evidence: 'not judged yet after 3 checks' };
  expect(differenceLines(['a'], [], [unjudged])[1]).toBe('health  not judged yet');
  const folder = `${'/deep'.repeat(10)}/a-1`;
  const [head = '', row] = differenceLines([folder], [], [healthy]);
  expect([head.length, head.endsWith('/deep/a-1'), row]).toEqual([8 + 40, true, 'health  healthy']);
});
