/** @file Creates tickets; a ticket for a download of a run needs access to the run. */
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { type Ticket, type TicketRequest, Tickets } from '../access/tickets.js';
import { RunQueries } from './run-queries.service.js';

const runOfPath = /^\/api\/v1\/runs\/([^/]+)\//;

@Injectable()
export class RunTickets {
  constructor(
    private readonly tickets: Tickets,
    private readonly queries: RunQueries,
  ) {}

  /** Creates a ticket. Access is checked again when it is used. @throws server.not_found */
  async create(caller: Caller, request: TicketRequest): Promise<Ticket> {
    const runId = runOfPath.exec(request.path ?? '')?.[1];
    if (runId !== undefined) await this.queries.find(caller, runId);
    return this.tickets.create(caller, request);
  }
}
