/** @file Where models come from and where they are kept, from the environment variables of Hugging Face's own tools. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';

export interface HubSettings {
  /** HF_ENDPOINT */
  readonly endpoint: string;
  /** HF_HUB_CACHE, or `hub` in HF_HOME */
  readonly cache: string;
  /** HF_TOKEN, or the file that `hf auth login` writes */
  readonly token: string | undefined;
  /** HF_HUB_OFFLINE: use what is cached */
  readonly isOffline: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings. @throws hub.denied for a token that is none, without quoting it */
export function readHubSettings(env: Environment = process.env): HubSettings {
  const given = (name: string): string | undefined => env[name]?.trim() || undefined;
  const home = given('HF_HOME') ?? join(given('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'huggingface');
  const endpoint = given('HF_ENDPOINT') ?? 'https://huggingface.co';
  const token = given('HF_TOKEN') ?? readToken(given('HF_TOKEN_PATH') ?? join(home, 'token'));
  if (token !== undefined && !/^hf_[\x21-\x7e]+$/.test(token))
    throw new AppError(
      'hub.denied',
      'read HF_TOKEN: a token of the hub begins with hf_ and has no spaces; correct it, or unset it for public models',
    );
  return {
    endpoint: endpoint.endsWith('/') ? endpoint.slice(0, -1) : endpoint,
    cache: given('HF_HUB_CACHE') ?? given('HUGGINGFACE_HUB_CACHE') ?? join(home, 'hub'),
    token,
    isOffline: ['1', 'on', 'yes', 'true'].includes((given('HF_HUB_OFFLINE') ?? '').toLowerCase()),
  };
}

function readToken(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined;
}
