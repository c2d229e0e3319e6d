/** @file What a report file says about itself, so that it can be checked later. */
import { z } from 'zod';

const part = z.strictObject({
  reference: z.string(),
  value: z.union([z.number(), z.string()]),
});

const manifest = z.object({
  format: z.literal(1),
  title: z.string(),
  version: z.string(),
  madeAt: z.string(),
  /** where its runs are: an address of a server; empty: folders of the machine */
  server: z.string(),
  runs: z.array(
    z.strictObject({
      key: z.string(),
      address: z.string(),
      state: z.string(),
      /** last step that is in the report as a whole */
      upTo: z.int(),
      fingerprint: z.strictObject({
        spec: z.string(),
        metrics: z.string(),
        events: z.string(),
        validations: z.string(),
      }),
      /** sha256 by id */
      trajectories: z.record(z.string(), z.string()),
    }),
  ),
  sources: z.array(z.strictObject({ number: z.int(), parts: z.array(part) })),
  /** sha256 of the file without this value */
  document: z.string(),
});

/** What a report was made from. */
export type ReportManifest = z.infer<typeof manifest>;

const script = /<script type="application\/json" id="espalier-report">([^<]*)<\/script>/;

/** Whether a text is the HTML of a report, of whatever version. */
export const isReport = (html: string): boolean => script.test(html);

/** Reads the manifest of a report; undefined: the text is none. */
export function readManifest(html: string): ReportManifest | undefined {
  const [, json] = script.exec(html) ?? [];
  if (json === undefined) return undefined;
  try {
    const parsed = manifest.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** The file as it was before its own hash was put in. */
export const withoutHash = (html: string, hash: string): string =>
  html.replace(`"document":"${hash}"`, '"document":""');
