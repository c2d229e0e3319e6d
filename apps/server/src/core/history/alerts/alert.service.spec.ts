import type { WarningCode } from '@espalier/contracts';
import { expect, it } from 'vitest';
import type { Alert } from '../../database/entities/alert.js';
import { createAlert } from './alert.service.js';

it.each<[WarningCode, Alert['severity']]>([
  ['trainer.corrupt_checkpoint', 'error'],
  ['worker.corrupt_checkpoint', 'error'],
  ['worker.invalid_line', 'error'],
  ['worker.log_truncated', 'warning'],
  ['run.idle_devices', 'warning'],
  ['worker.memory_exceeded', 'error'],
  ['trainer.no_signal', 'warning'],
])('the warning %s becomes an alert of severity %s', (code, severity) => {
  const warning = { kind: 'warning', time: 1.6, step: 2, code, message: 'why' } as const;
  expect(createAlert('run-1', 'mine', warning)).toMatchObject({ code, severity, step: 2, time: 2 });
});

it('a warning with a code that this version does not know becomes an alert of severity warning', () => {
  const warning = { kind: 'warning', time: 1, step: 2, code: 'newer.failed', message: 'why' } as const;
  expect(createAlert('run-1', 'mine', warning)).toMatchObject({ severity: 'warning' });
});
