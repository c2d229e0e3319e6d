/**
 * @file Tickets replace a key where a page cannot send a header, such as in the address of a download. A ticket stands for
 * its key, for one purpose, for a minute; it is signed, not stored, and ends with its key. Each start of the server
 * generates a new secret.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import { text } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '../database/clock.js';
import type { Caller } from './caller.js';
import { KeyService } from './key.service.js';

export const ticketPurposes = {
  stream: 'Open a socket.io connection to /stream.',
  graphql: 'Open a GraphQL WebSocket.',
  download: 'Read one file: the artifact or export of `path`.',
} as const;
export type TicketPurpose = keyof typeof ticketPurposes;

export const ticketRequest = z
  .strictObject({
    purpose: z.enum(Object.keys(ticketPurposes) as [TicketPurpose]).describe('what it may be used for'),
    path: text(2000)
      .regex(
        /^\/api\/v1\/(runs\/[^/?#]+\/(artifacts|export)\/[^?#]+|rating-sets\/[^/?#]+\/export)$/,
        'expected /api/v1/runs/<id>/artifacts/<path>, /api/v1/runs/<id>/export/<file> or /api/v1/rating-sets/<id>/export',
      )
      .optional()
      .describe(
        'for a download: `/api/v1/runs/<id>/artifacts/<path>`, `/api/v1/runs/<id>/export/<file>` or `/api/v1/rating-sets/<id>/export`',
      ),
  })
  .refine(({ purpose, path }) => (purpose === 'download') === (path !== undefined), {
    error: 'a download needs a path, and nothing else has one',
    path: ['path'],
  });
export type TicketRequest = z.output<typeof ticketRequest>;

export class Ticket {
  ticket!: string;
  /** ms since the epoch */
  expiresAt!: number;
  /** of a download: its address with the ticket */
  url!: string | null;
}

const lifetime = 60_000; // ms
/** characters; one for the longest path stays below */
export const longestTicket = 8000;
const prefix = 'espt_';
const claims = z.strictObject({
  keyId: z.string(),
  purpose: z.string(),
  path: z.string(),
  expiresAt: z.number(),
});

@Injectable()
export class Tickets {
  private readonly secret = randomBytes(32);

  constructor(
    private readonly keys: KeyService,
    private readonly clock: Clock,
  ) {}

  create({ keyId }: Pick<Caller, 'keyId'>, { purpose, path }: TicketRequest): Ticket {
    const expiresAt = this.clock.now() + lifetime;
    const body = Buffer.from(JSON.stringify({ keyId, purpose, path: path ?? '', expiresAt }));
    const content = body.toString('base64url');
    const ticket = `${prefix}${content}.${this.sign(content).toString('base64url')}`;
    const url = path === undefined ? null : `${path}?ticket=${ticket}`;
    return Object.assign(new Ticket(), { ticket, expiresAt, url });
  }

  /**
   * Returns the caller of a ticket.
   *
   * @param path the file to read with it; empty: a socket is opened
   * @throws access.unauthenticated
   */
  async redeem(ticket: unknown, purpose: TicketPurpose, path = ''): Promise<Caller> {
    const found =
      typeof ticket === 'string' && ticket.length <= longestTicket ? this.open(ticket) : undefined;
    if (found === undefined) throw refused('it is not a ticket of this server');
    if (found.expiresAt <= this.clock.now()) throw refused('it has expired');
    if (found.purpose !== purpose || found.path !== path) throw refused('it was created for something else');
    return this.keys.callerOf(found.keyId);
  }

  private open(ticket: string): z.output<typeof claims> | undefined {
    const [, content = '', signature = ''] = /^espt_([\w-]+)\.([\w-]{43})$/.exec(ticket) ?? [];
    const given = Buffer.from(signature, 'base64url');
    const right = this.sign(content);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    return claims.parse(JSON.parse(Buffer.from(content, 'base64url').toString('utf8')));
  }

  private sign(content: string): Buffer {
    return createHmac('sha256', this.secret).update(content).digest();
  }
}

const refused = (finding: string): AppError =>
  new AppError('access.unauthenticated', `read the ticket: ${finding}; create a new one`);
