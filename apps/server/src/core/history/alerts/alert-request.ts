import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { orderQuery, pageQuery } from '../../database/page.js';
import { flag, moment } from '../../input/parse-input.js';

const severity = z.enum(['info', 'warning', 'error']);
/** Which alerts; all conditions hold at once. Also the query of `GET /alerts/counts`. */
export const alertConditions = z.strictObject({
  runId: text(100).optional().describe('only about this run'),
  project: text(200).optional().describe('only of this project'),
  severity: severity.optional().describe('only of this severity'),
  since: moment.optional().describe('only from then on; ISO 8601'),
  until: moment.optional().describe('only before then; ISO 8601'),
  open: flag.optional().describe('`true`: only unacknowledged ones; `false`: only the others'),
});
export type AlertConditions = z.output<typeof alertConditions>;

/** What a list of alerts can be ordered by. */
export const alertOrderFields = {
  time: 'when it was raised',
  severity: 'how severe it is',
} as const;
export type AlertOrderField = keyof typeof alertOrderFields;

/** `GET /alerts` */
export const alertsQuery = pageQuery.extend({ ...alertConditions.shape, ...orderQuery(alertOrderFields) });
