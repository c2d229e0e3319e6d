import { toIsoTime } from '@espalier/protocol/bounds';
import { Body, Controller, Post } from '@nestjs/common';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { Ticket, ticketRequest } from '../../core/access/tickets.js';
import { RunTickets } from '../../core/runs/run-tickets.service.js';
import { parseRequest } from '../../core/runs/run-request.js';
import { dtoShape } from './response-schema.js';
import { openApiResponse } from './open-api-response.js';
import { openApiBody } from './open-api-body.js';
import { ApiOperation, ApiTags } from './open-api-decorators.js';

type ToldTicket = Omit<Ticket, 'expiresAt'> & { readonly expiresAt: string };

@ApiTags('me')
@Controller('api/v1/tickets')
export class TicketController {
  constructor(private readonly tickets: RunTickets) {}

  @Post()
  @Access('viewer')
  @ApiOperation({
    summary:
      'Creates a ticket that stands for the key for a minute and one purpose, for pages that cannot send a header.',
  })
  @openApiBody(ticketRequest)
  @openApiResponse(dtoShape(Ticket), 201, 'The ticket.')
  async create(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<ToldTicket> {
    const made = await this.tickets.create(caller, parseRequest(ticketRequest, body, 'create a ticket'));
    return { ...made, expiresAt: toIsoTime(made.expiresAt) };
  }
}
