/** @file API keys; all calls need an admin key. */
import {
  type ApiKeyOrder,
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
  /** Lists a page of keys, newest first unless ordered otherwise, including revoked ones. */
  list(page?: PageRequest & { readonly orderBy?: ApiKeyOrder }): Promise<Page<ApiKey>>;
  /** Creates a key. The secret is returned only once. */
  create(input: CreateKeyInput): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Revokes a key immediately and permanently. */
  revoke(id: string): Promise<ApiKey>;
}

/** Creates the calls about keys. */
export function createKeysApi({ request }: Transport): KeysApi {
  return {
    async list({ orderBy = null, ...page } = {}) {
      const variables = { orderBy, ...pageVariables(page) };
      return toPage((await request(ListKeysDocument, variables)).keys);
    },
    create: async (input) => unwrapResult((await request(CreateKeyDocument, { input })).createKey),
    revoke: async (keyId) => unwrapResult((await request(RevokeKeyDocument, { input: { keyId } })).revokeKey),
  };
}
