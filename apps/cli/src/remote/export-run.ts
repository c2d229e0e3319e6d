/** @file Writes a run of a server to a folder, each file checked against its hash; the manifest comes last. */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Client } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import {
  type ExportedFile,
  type ExportFormat,
  type ExportManifest,
  exportManifestName,
  type ExportOffer,
} from '@espalier/protocol/export';
import { resolveInside } from '@espalier/files';

/**
 * Exports a run.
 *
 * @param folder new, or empty
 * @throws cli.unusable_folder, cli.corrupt_download, client.refused
 */
export async function exportRun(
  client: Client,
  runId: string,
  folder: string,
  { format, checkpoints = false }: { readonly format: ExportFormat; readonly checkpoints?: boolean },
): Promise<ExportManifest> {
  requireEmpty(folder);
  const address = `/api/v1/runs/${runId}/export`;
  const response = await client.rest(`${address}/manifest?format=${format}`);
  const { until, from, expired, files, artifacts } = (await response.json()) as ExportOffer;
  mkdirSync(folder, { recursive: true });
  for (const file of files)
    await save(folder, file, await client.rest(`${address}/${file.name}?until=${until}`));
  const stored = [...artifacts, ...(checkpoints ? await listCheckpoints(client, runId) : [])];
  for (const file of stored) await save(folder, file, await client.artifacts.open(runId, file.name));
  const manifest = { runId, until, from, expired, format, files: [...files, ...stored] };
  writeFileSync(join(folder, exportManifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function listCheckpoints(client: Client, runId: string): Promise<ExportedFile[]> {
  const files = await client.artifacts.list(runId, 'checkpoints/');
  return files.map(({ path, bytes, sha256 }) => ({ name: path, bytes, sha256 }));
}

function requireEmpty(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  throw new AppError('cli.unusable_folder', `export to ${folder}: the folder is not empty; name a new one`);
}

/** Writes one file while its hash is taken. */
async function save(folder: string, { name, sha256 }: ExportedFile, { body }: Response): Promise<void> {
  // names come from the server
  const path = resolveInside(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const source = body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream<Uint8Array>);
  await pipeline(source, measure, createWriteStream(path));
  const found = hash.digest('hex');
  if (found !== sha256)
    throw new AppError(
      'cli.corrupt_download',
      `export ${name}: sha256 is ${found}, the server announced ${sha256}; export again to another folder`,
    );
}
