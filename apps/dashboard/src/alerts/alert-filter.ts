/** @file Which alerts the list shows; all of it is in the address. */
import type { Client } from '@espalier/client';
import { ruleNames } from '@espalier/contracts/health';

export type AlertFilter = NonNullable<Parameters<Client['overview']['alerts']>[0]>;

export const severities = ['error', 'warning', 'info'] as const;
/** An alert that nobody looks after. */
export const nobody = '-';
/** What other alerts than those of the monitor are narrowed by: their code. */
export const codePrefix = 'code:';

const known = <T extends string>(names: readonly T[], text: string | null): T | undefined =>
  names.find((name) => name === text);

/** Reads the filter of an address; without a state only open alerts are listed. */
export function readAlertFilter(search: URLSearchParams): AlertFilter {
  const state = search.get('state') ?? 'open';
  const rule = search.get('rule') ?? '';
  const assignee = search.get('assignee') ?? '';
  const severity = known(severities, search.get('severity'));
  const filter: { -readonly [K in keyof AlertFilter]: AlertFilter[K] } = {};
  if (state === 'open' || state === 'acknowledged') filter.open = state === 'open';
  if (severity !== undefined) filter.severity = severity;
  if (rule.startsWith(codePrefix)) filter.code = rule.slice(codePrefix.length);
  else if (rule !== '') filter.rule = known(ruleNames, rule) ?? null;
  if (assignee === nobody) filter.assigned = false;
  else if (assignee !== '') filter.assignee = assignee;
  for (const name of ['project', 'runId'] as const) {
    const given = search.get(name === 'runId' ? 'run' : name);
    if (given !== null && given !== '') filter[name] = given;
  }
  return filter;
}
