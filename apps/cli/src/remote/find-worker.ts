/** @file The workers of a server by the name that a person calls them. */
import type { Client, Page, Worker } from '@espalier/client';
import { AppError } from '@espalier/contracts';

/** Finds a worker by its name or id. @throws cli.usage */
export async function findWorkerId(client: Client, word: string, operation: string): Promise<string> {
  const workers = await listWorkers(client);
  const found = workers.find(({ name }) => name === word) ?? workers.find(({ id }) => id === word);
  if (found !== undefined) return found.id;
  throw new AppError(
    'cli.usage',
    `${operation} the worker "${word}": the server knows none of this name or id; see \`worker list\``,
  );
}

/** Reads all workers, page by page. */
export async function listWorkers(client: Client): Promise<Worker[]> {
  const workers: Worker[] = [];
  let after: string | null = null;
  do {
    const { items, pageInfo }: Page<Worker> = await client.workers.list({ first: 500, after });
    workers.push(...items);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return workers;
}
