import { cleanText } from '@espalier/protocol/bounds';
import { createId } from '../../database/create-id.js';
import type { IncomingEvent } from '../records/stored-record.js';
import type { Alert } from '../../database/entities/alert.js';

/** Makes the alert of a warning. What failed is an error; what looks unhealthy is a warning. */
export function toAlert(
  runId: string,
  project: string,
  { time, step, code, message }: Extract<IncomingEvent, { kind: 'warning' }>,
): Alert {
  const severity = /error|failed|broken|crash|not_finite/.test(code) ? 'error' : 'warning';
  return {
    id: createId('alert'),
    runId,
    project,
    severity,
    code,
    step,
    time: Math.round(time),
    message: cleanText(message, 20_000),
    acknowledgedAt: null,
    acknowledgedBy: null,
  };
}
