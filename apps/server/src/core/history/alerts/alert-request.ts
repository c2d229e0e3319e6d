import { ruleNames } from '@espalier/contracts/health';
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
  code: text(200).optional().describe('only of this code'),
  rule: z.enum(ruleNames).optional().describe('only those at which this rule of the collapse monitor fired'),
  assignee: text(200).optional().describe('only those that the key of this name looks after'),
  assigned: flag
    .optional()
    .describe('`true`: only those that somebody looks after; `false`: only the others'),
  since: moment.optional().describe('only from then on; ISO 8601'),
  until: moment.optional().describe('only before then; ISO 8601'),
  open: flag.optional().describe('`true`: only unacknowledged ones; `false`: only the others'),
});
export type AlertConditions = z.output<typeof alertConditions>;

/** alerts that are acknowledged at once */
const most = 200;
/** `POST /alerts/acknowledge` */
export const acknowledgeRequest = z.strictObject({
  alertIds: z.array(text(100)).min(1).max(most).describe(`the alerts, at most ${most}`),
});
/** `PUT /alerts/{id}/assignee` */
export const assignRequest = z.strictObject({
  keyId: text(100).optional().describe('the key that looks after it; null: nobody'),
});

/** What a list of alerts can be ordered by. */
export const alertOrderFields = {
  time: 'when it was raised',
  severity: 'how severe it is',
} as const;
export type AlertOrderField = keyof typeof alertOrderFields;

/** `GET /alerts` */
export const alertsQuery = pageQuery.extend({ ...alertConditions.shape, ...orderQuery(alertOrderFields) });
