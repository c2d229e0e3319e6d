/** @file Everything about API keys; needs an admin key. */
import {
  CreateKeyDocument,
  type CreateKeyInput,
  type KeyFieldsFragment,
  ListKeysDocument,
  RevokeKeyDocument,
} from './generated/operations.js';
import type { Page, PageRequest } from './runs.js';
import { settle } from './settle.js';
import type { Transport } from './transport.js';

export type ApiKey = KeyFieldsFragment;

export interface KeysApi {
  /** A page of keys, newest first, revoked ones too. */
  list(page?: PageRequest): Promise<Page<ApiKey>>;
  /** Makes a key; the secret is given this once. */
  create(input: CreateKeyInput): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Ends a key at once and for good. */
  revoke(id: string): Promise<ApiKey>;
}

/** Builds the calls about keys. */
export function createKeysApi({ request }: Transport): KeysApi {
  return {
    async list({ first = 50, after = null } = {}) {
      const { items, pageInfo } = (await request(ListKeysDocument, { first, after })).keys;
      return { items, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
    },
    async create(input) {
      const { key, secret } = settle((await request(CreateKeyDocument, { input })).createKey);
      return { key, secret };
    },
    async revoke(id) {
      const { __typename: _kind, ...key } = settle((await request(RevokeKeyDocument, { id })).revokeKey);
      return key;
    },
  };
}
