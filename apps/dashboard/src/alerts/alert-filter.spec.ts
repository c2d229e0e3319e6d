import { expect, it } from 'vitest';
import { readAlertFilter } from './alert-filter.js';

const of = (text: string) => readAlertFilter(new URLSearchParams(text));

it('lists open alerts unless an address says otherwise', () => {
  expect([of(''), of('state=acknowledged'), of('state=all')]).toEqual([{ open: true }, { open: false }, {}]);
});

it('narrows by rule or code, severity, run, project and who looks after it', () => {
  expect(of('state=all&rule=entropy-fall&severity=error&run=run-1&assignee=ann')).toEqual({
    rule: 'entropy-fall',
    severity: 'error',
    runId: 'run-1',
    assignee: 'ann',
  });
  expect(of('state=all&rule=code:metrics.dropped&project=p&assignee=-')).toEqual({
    code: 'metrics.dropped',
    project: 'p',
    assigned: false,
  });
  expect(of('state=all&severity=odd')).toEqual({});
});
