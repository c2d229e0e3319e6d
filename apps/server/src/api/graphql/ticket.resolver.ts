import { Field, InputType, Mutation, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { Ticket, type TicketPurpose, ticketRequest } from '../../core/access/tickets.js';
import { RunTickets } from '../../core/runs/run-tickets.service.js';
import { parseRequest } from '../../core/runs/run-request.js';
import { TicketPurposeEnum } from './enums.js';
import { as, Input, InvalidInput, NotFound, orRefuse, resultOf } from './refusal.js';

@InputType({ description: 'What a ticket is for.' })
class CreateTicketInput {
  @Field(() => TicketPurposeEnum, { description: 'What it may be used for.' })
  purpose!: TicketPurpose;

  @Field(() => String, {
    nullable: true,
    description: 'For a download: `/api/v1/runs/<id>/artifacts/<path>` or `/api/v1/runs/<id>/export/<file>`.',
  })
  path?: string;
}

const CreateTicketResult = resultOf(
  'CreateTicketResult',
  'The ticket, or why there is none.',
  Ticket,
  InvalidInput,
  NotFound,
);

/** Hands out tickets. */
@Resolver()
export class TicketResolver {
  constructor(private readonly tickets: RunTickets) {}

  @Mutation(() => CreateTicketResult, {
    nullable: true,
    description:
      'Creates a ticket that stands for the key for a minute and one purpose, for pages that cannot send a header.',
  })
  @Access('viewer')
  createTicket(
    @CurrentCaller() caller: Caller,
    @Input(CreateTicketInput) input: CreateTicketInput,
  ): Promise<typeof CreateTicketResult> {
    return orRefuse([InvalidInput, NotFound], async () => {
      const request = parseRequest(ticketRequest, input, 'create a ticket');
      return as('Ticket', await this.tickets.create(caller, request));
    });
  }
}
