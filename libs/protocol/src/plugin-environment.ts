/**
 * @file Which variables a process sees that runs plugin code: all but secrets. The one rule for trainings, for estimates
 * and for the catalogue of plugins. A secret is recognised only by its name.
 */
import { z } from 'zod';

/** Names of secrets, and of where to use them. */
const secrets = [
  /^ESPALIER__/,
  /^AWS_/,
  /^PG[A-Z]/,
  /^REDIS(_|$|CLI)/,
  /(^|_)DATABASE_UR[IL]$/,
  /(^|_)(ACCESS_?|API_?|PRIVATE_?|SECRET_?)?KEY(_ID)?$/,
  /APIKEY$/,
  /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/,
];

/** The setting of the same name, of servers and workers. */
export const passEnvironment = z
  .array(z.string().min(1).max(200))
  .default(['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN', 'TINKER_API_KEY'])
  .describe(
    'variables that look like secrets (…_TOKEN, …_KEY, …_PASSWORD, AWS_…, PG…) and reach plugins all the same',
  );

/**
 * Gives the variables that plugin code may see. Settings of Espalier (`ESPALIER__…`) never are among them, and the key of an
 * engine only with the one URL that it may be sent to, as runs name URLs of their own.
 *
 * @param own variables of this process
 * @param passed names that are given although they look like secrets
 */
export function pluginEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  passed: readonly string[],
): Record<string, string> {
  const isGiven = (name: string): boolean => {
    const upper = name.toUpperCase();
    if (upper.startsWith('ESPALIER__')) return false;
    if (name === 'TINKER_API_KEY' && !own['TINKER_BASE_URL']) return false;
    return passed.includes(name) || !secrets.some((secret) => secret.test(upper));
  };
  const kept = Object.entries(own).filter(([name, value]) => value !== undefined && isGiven(name));
  return Object.fromEntries(kept) as Record<string, string>;
}
