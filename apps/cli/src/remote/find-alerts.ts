/** @file Which alerts a person means: by their ids or the beginnings of ids. */
import type { Client } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import type { Alert } from './alert-table.js';

/** How many of the newest alerts are looked through. */
const lookedThrough = 2000;

/**
 * Finds alerts, each once, in the order of the words. A word is an id, or the beginning of one that only one alert has, with or
 * without `alert-`.
 *
 * @throws cli.usage
 */
export async function findAlerts(
  client: Pick<Client, 'overview'>,
  words: readonly string[],
  operation: string,
): Promise<Alert[]> {
  const alerts: Alert[] = [];
  const isMet = (): boolean => words.every((word) => alerts.some(({ id }) => id === word));
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Client['overview']['alerts']>> = await client.overview.alerts(
      {},
      { first: 200, after },
    );
    alerts.push(...page.items);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null && alerts.length < lookedThrough && !isMet());
  const found = words.map((word) => findOne(alerts, word, operation));
  return [...new Map(found.map((alert) => [alert.id, alert])).values()];
}

function findOne(alerts: readonly Alert[], word: string, operation: string): Alert {
  const exact = alerts.find(({ id }) => id === word);
  if (exact !== undefined) return exact;
  const found =
    word === '' ? [] : alerts.filter(({ id }) => id.startsWith(word) || id.startsWith(`alert-${word}`));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const shown = found.slice(0, 5).map(({ id }) => id);
  throw new AppError(
    'cli.usage',
    only === undefined
      ? `${operation} alert "${word}": none of the ${alerts.length} newest alerts has an id that begins so; \`espalier alerts\` shows them`
      : `${operation} alert "${word}": ${found.length} alerts match: ${shown.join(', ')}${found.length > 5 ? ', …' : ''}; give more of the id`,
  );
}
