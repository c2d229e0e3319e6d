import { toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { replyPiece } from '@espalier/protocol/chat';
import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../core/access/caller.js';
import { chatReplyRequest, startChatRequest } from '../../core/runs/chat-request.js';
import { Chat, RunChats } from '../../core/runs/run-chats.service.js';
import { Access, ChangesNothing, CurrentCaller } from '../access/access.decorator.js';
import { ErrorReport } from '../errors/error-report.js';
import { Describe, Tag } from './open-api/open-api.js';
import { dtoSchema } from './open-api/response-schema.js';
import { parseInput } from '../../core/input/parse-input.js';

const chatResponse = dtoSchema(Chat);

/** Chats with checkpoints of a run. */
@Tag('runs')
@Controller('api/v1/runs/:id/chats')
@Access('operator')
export class ChatController {
  constructor(
    private readonly chats: RunChats,
    private readonly report: ErrorReport,
  ) {}

  @Post()
  @Describe({
    summary:
      'Loads a checkpoint on a worker, to chat with it; the chat that the key has already is returned.',
    body: startChatRequest,
    isBodyOptional: true,
    responses: { 201: [chatResponse, 'The chat; it replies once its state is `running`.'] },
  })
  async start(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<object> {
    return toDto(await this.chats.start(caller, id, parseInput(startChatRequest, body, 'start a chat')));
  }

  @Get(':jobId')
  @Access('viewer')
  @Describe({
    summary: 'A chat: its state, why it waits, and how the run talks to its model.',
    response: chatResponse,
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('jobId') jobId: string,
  ): Promise<object> {
    return toDto(await this.chats.find(caller, id, jobId));
  }

  @Post(':jobId/end')
  @HttpCode(200)
  @Describe({ summary: 'Ends a chat: its model is unloaded, its devices are free.', response: chatResponse })
  async end(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('jobId') jobId: string,
  ): Promise<object> {
    return toDto(await this.chats.end(caller, id, jobId));
  }

  @Post(':jobId/reply')
  @ChangesNothing()
  @HttpCode(200)
  @Describe({
    summary:
      'Samples a reply, as JSON Lines that arrive as it is sampled: text and tokens that are new, with `end` or `error` in the last. Closing the connection stops it. Nothing is stored.',
    body: chatReplyRequest,
    responses: { 200: [replyPiece, 'A line of the stream.'] },
  })
  async reply(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('jobId') jobId: string,
    @Body() body: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = parseInput(chatReplyRequest, body, 'reply in a chat');
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const pieces = await this.chats.reply(caller, id, jobId, request, gone.signal);
    // what is refused before the first piece has a status of its own
    const first = await pieces.next();
    await reply
      .header('content-type', 'application/x-ndjson; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .header('x-content-type-options', 'nosniff')
      .send(Readable.from(this.linesOf(first, pieces)));
  }

  private async *linesOf(
    first: IteratorResult<object, unknown>,
    rest: AsyncGenerator<object>,
  ): AsyncGenerator<string> {
    try {
      if (first.done === true) return;
      yield `${JSON.stringify(first.value)}\n`;
      for await (const piece of rest) yield `${JSON.stringify(piece)}\n`;
    } catch (error) {
      const { code, message } = this.report.serialize(error);
      yield `${JSON.stringify({ text: '', tokens: [], error: { code, message } })}\n`;
    } finally {
      await rest.return(undefined);
    }
  }
}

const toDto = (chat: Chat): object => ({
  ...chat,
  createdAt: toIsoTime(chat.createdAt),
  endedAt: toIsoTimeOrNull(chat.endedAt),
});
