/** @file What a server has stored of a run, as a run folder that a report can be made of. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client, RunDetails } from '@espalier/client';
import { runLayout } from '@espalier/contracts';
import { resolveInside, saveWholeFile } from '@espalier/files';

/** Writes spec, metrics, events and validations of a run to a folder; no checkpoints. */
export async function fetchRecords(client: Client, { id, spec }: RunDetails, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const prefix of [runLayout.metrics, runLayout.events, `${runLayout.validation}/`])
    for (const { path } of await client.artifacts.list(id, prefix)) await fetchFile(client, id, path, folder);
  saveWholeFile(join(folder, runLayout.spec), `${JSON.stringify(spec, null, 2)}\n`);
}

/** Writes one stored file of a run to the same path in a folder. */
export async function fetchFile(client: Client, id: string, path: string, folder: string): Promise<void> {
  // names come from the server
  const target = resolveInside(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  const response = await client.artifacts.open(id, path);
  writeFileSync(target, Buffer.from(await response.arrayBuffer()));
}
