import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../core/access/caller.js';
import { startChatRequest } from '../../../core/runs/chat-request.js';
import { Chat, RunChats } from '../../../core/runs/run-chats.service.js';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import { as, Input, InvalidInput, NotFound, NotPossible, orRefuse, resultOf } from '../refusal.js';
import { idOf, inputOfSchema } from '../types/from-schema.js';
import { z } from 'zod';
import { parseInput } from '../../../core/input/parse-input.js';

const startRefusals = [InvalidInput, NotFound, NotPossible] as const;
const endRefusals = [NotFound] as const;

const StartChatResult = resultOf(
  'StartChatResult',
  'The chat, or why there is none.',
  Chat,
  ...startRefusals,
);
const EndChatResult = resultOf(
  'EndChatResult',
  'The chat, or why nothing was changed.',
  Chat,
  ...endRefusals,
);

const StartChatInput = inputOfSchema(
  'StartChatInput',
  'A checkpoint to chat with.',
  z.object({ runId: idOf('run'), ...startChatRequest.shape }),
  { runId: ID },
);
type StartChatInput = InstanceType<typeof StartChatInput>;

const EndChatInput = inputOfSchema(
  'EndChatInput',
  'A chat to end.',
  z.object({ runId: idOf('run'), jobId: idOf('job of the chat') }),
  { runId: ID, jobId: ID },
);
type EndChatInput = InstanceType<typeof EndChatInput>;

/** Chats with checkpoints; replies are a stream over REST. */
@Resolver(() => Chat)
@Access('operator')
export class RunChatResolver {
  constructor(private readonly chats: RunChats) {}

  @Query(() => Chat, {
    nullable: true,
    description: 'A chat: its state, and how the run talks to its model.',
  })
  @Access('viewer')
  chat(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, description: 'The run.' }) runId: string,
    @Args('jobId', { type: () => ID, description: 'The job of the chat.' }) jobId: string,
  ): Promise<Chat> {
    return this.chats.find(caller, runId, jobId);
  }

  @Mutation(() => StartChatResult, {
    nullable: true,
    description:
      'Loads a checkpoint on a worker, to chat with it; the chat that the key has already is returned.',
  })
  startChat(
    @CurrentCaller() caller: Caller,
    @Input(StartChatInput) { runId, ...input }: StartChatInput,
  ): Promise<typeof StartChatResult> {
    return orRefuse(startRefusals, async () =>
      as('Chat', await this.chats.start(caller, runId, parseInput(startChatRequest, input, 'start a chat'))),
    );
  }

  @Mutation(() => EndChatResult, {
    nullable: true,
    description: 'Ends a chat: its model is unloaded, its devices are free.',
  })
  endChat(
    @CurrentCaller() caller: Caller,
    @Input(EndChatInput) { runId, jobId }: EndChatInput,
  ): Promise<typeof EndChatResult> {
    return orRefuse(endRefusals, async () => as('Chat', await this.chats.end(caller, runId, jobId)));
  }
}
