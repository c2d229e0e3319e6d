/** @file API keys; all calls need an admin key. */
import {
  CreateKeyDocument,
  type CreateKeyInput,
  type KeyFieldsFragment,
  ListKeysDocument,
  RevokeKeyDocument,
} from './generated/operations.js';
import { type Page, type PageRequest, pageVariables, toPage } from './pages.js';
import { unwrapResult } from './unwrap-result.js';
import type { Transport } from './transport.js';

export type ApiKey = KeyFieldsFragment;

export interface KeysApi {
  /** Lists a page of keys, newest first, including revoked ones. */
  list(page?: PageRequest): Promise<Page<ApiKey>>;
  /** Creates a key. The secret is returned only once. */
  create(input: CreateKeyInput): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Revokes a key immediately and permanently. */
  revoke(id: string): Promise<ApiKey>;
}

/** Creates the calls about keys. */
export function createKeysApi({ request }: Transport): KeysApi {
  return {
    list: async (page = {}) =>
      toPage((await request(ListKeysDocument, pageVariables(page))).keys, (key) => key),
    async create(input) {
      const { key, secret } = unwrapResult((await request(CreateKeyDocument, { input })).createKey);
      return { key, secret };
    },
    async revoke(id) {
      const { __typename: _kind, ...key } = unwrapResult(
        (await request(RevokeKeyDocument, { id })).revokeKey,
      );
      return key;
    },
  };
}
