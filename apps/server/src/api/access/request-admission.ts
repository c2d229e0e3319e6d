import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { KeyService } from '../../core/access/key.service.js';
import { RateLimits } from '../../core/access/rate-limits.js';
import { bearerOf } from './request-context.js';

/** A request of which only the head has been read. */
export interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly hasBody: boolean;
  /** its body is an artifact */
  readonly isUpload: boolean;
}

/** Counts requests by key, or by address if they have no key that is in use. */
@Injectable()
export class RequestAdmission {
  constructor(
    private readonly keys: KeyService,
    private readonly limits: RateLimits,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'http'>,
  ) {}

  /**
   * Admits a request before its body is read; a request with a body needs a key.
   *
   * @throws access.unauthenticated, access.throttled
   */
  async admit({ headers, address, hasBody, isUpload }: RequestHead): Promise<void> {
    const secret = bearerOf(headers);
    if (secret === undefined || !this.keys.isInUse(secret))
      await this.limits.count('anonymousRequests', address);
    if (secret === undefined && !hasBody) return;
    // without a body it may be for something public, whatever its key
    if (!hasBody && !this.keys.isInUse(secret ?? '')) return;
    const { keyId } = await this.keys.authenticate(secret, address);
    await this.limits.count('requests', keyId);
    if (!hasBody || isUpload) return;
    // a request without a content-length may have the largest body
    const length = headers['content-length'];
    const kb = length === undefined ? this.options.http.bodyKb : Math.ceil(Number(length) / 1024);
    await this.limits.count('sentKb', keyId, kb);
  }
}
