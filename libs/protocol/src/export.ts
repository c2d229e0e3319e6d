/** @file A run as files, outside of the server that knows it: which there are, and what their manifest says. */
import { z } from 'zod';

export const exportFormats = ['jsonl', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The tables of an export. */
export const exportKinds = ['metrics', 'trajectories', 'records'] as const;
export type ExportKind = (typeof exportKinds)[number];

const exportedFile = z.object({
  name: z.string().describe('path below the folder of the export, with forward slashes'),
  bytes: z.int().min(0),
  sha256: z.string().describe('of its bytes, in hexadecimal'),
  rows: z.int().min(0).optional().describe('of a table'),
});
/** A file of an export. */
export type ExportedFile = z.infer<typeof exportedFile>;

const shared = {
  runId: z.string(),
  until: z.int().min(0).describe('last cursor that is in it; request files with `until` set to it'),
  from: z
    .partialRecord(z.enum(exportKinds), z.int().nullable())
    .describe(
      'first cursor still stored, by table; null: none is. Before it, and between kept records, old ones have expired',
    ),
  expired: z
    .int()
    .min(0)
    .describe('records up to `until` that are not stored any more, of all kinds; 0: the export is whole'),
  format: z.enum(exportFormats),
};

/** Lists the files of an export, in its folder. */
export const exportManifestName = 'manifest.json';

/** What the server says of an export before it is fetched. */
export const exportOffer = z.object({
  ...shared,
  files: z.array(exportedFile).describe('written on request'),
  artifacts: z.array(exportedFile).describe('trajectories with all tokens; fetched as artifacts'),
});
export type ExportOffer = z.infer<typeof exportOffer>;

/** What the manifest of an export says. */
export type ExportManifest = Omit<ExportOffer, 'artifacts'>;
