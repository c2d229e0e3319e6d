import type { RunSpec } from '@espalier/contracts';

/** The options of a run as `update.epochs` → `1`; lists as JSON, absent options left out. */
export function flatOptions(spec: RunSpec): [string, string][] {
  const rows: [string, string][] = [];
  const visit = (value: unknown, path: string): void => {
    if (value === undefined) return;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, part] of Object.entries(value)) visit(part, path === '' ? key : `${path}.${key}`);
    else rows.push([path, typeof value === 'string' ? value : JSON.stringify(value)]);
  };
  visit(spec, '');
  return rows;
}
