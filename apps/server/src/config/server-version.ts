import { readFileSync } from 'node:fs';

/** The version of the server; that of all packages. */
export const { version: serverVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };
