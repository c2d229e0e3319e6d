/** @file Replies of chats on their way from the worker that samples them to whoever asked. Nothing of them is stored. */
import { AppError } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import type { CallMessage, ReplyAnswer, ReplyPiece } from '@espalier/protocol/chat';
import { Injectable } from '@nestjs/common';
import { createId } from '../database/create-id.js';
import { type WorkerLink, WorkerPool } from './worker-pool.js';

/** The attempt that is called. */
export interface Called {
  readonly workerId: string;
  readonly attemptId: string;
  readonly token: number;
}

/** A call that waits for the rest of its reply. */
interface OpenCall extends Called {
  readonly link: WorkerLink;
  readonly pieces: ReplyPiece[];
  /** why nothing more comes */
  lost?: AppError;
  wake(): void;
}

/** Errors of the model that whoever asked can do something about; others are reported as `chat.failed`. */
const passed = /^(?:chat|endpoint|engine|rollout|model)\./;

@Injectable()
export class ModelCalls {
  private readonly open = new Map<string, OpenCall>();

  constructor(private readonly pool: WorkerPool) {}

  /**
   * Calls the process of a chat, and yields its reply as it comes; who stops reading ends the sampling.
   *
   * @param what for messages, such as `chat with step 20 of run …`
   * @throws chat.unavailable, chat.failed, and what the process refuses
   */
  async *call(
    called: Called,
    body: CallMessage['body'],
    what: string,
    signal?: AbortSignal,
  ): AsyncGenerator<ReplyPiece> {
    const link = this.pool.worker(called.workerId)?.link ?? null;
    if (link === null) throw unavailable(what, 'its worker is not connected; ask again when it is');
    const callId = createId('call');
    const { attemptId, token } = called;
    let wake = (): void => undefined;
    const call: OpenCall = { ...called, link, pieces: [], wake: () => wake() };
    const onAbort = (): void => call.wake();
    signal?.addEventListener('abort', onAbort);
    this.open.set(callId, call);
    try {
      const answer = await link.call({ attemptId, token, callId, body }).catch(() => null);
      if (answer === null) throw unavailable(what, 'its worker did not answer in time; ask again');
      if (!answer.ok) throw unavailable(what, `its worker refused: ${answer.message}`);
      while (signal?.aborted !== true) {
        const piece = call.pieces.shift();
        if (piece?.error !== undefined) throw toError(what, piece.error);
        if (piece !== undefined) yield piece;
        if (piece?.end !== undefined) return;
        if (piece !== undefined) continue;
        if (call.lost !== undefined) throw call.lost;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.open.delete(callId);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Takes what is new of a reply. */
  deliver(
    workerId: string,
    {
      callId,
      attemptId,
      token,
      ...piece
    }: ReplyPiece & { readonly callId: string } & Omit<Called, 'workerId'>,
  ): ReplyAnswer {
    const call = this.open.get(callId);
    const isOwn = call?.workerId === workerId && call.attemptId === attemptId && call.token === token;
    if (call === undefined || !isOwn) return { isWanted: false };
    call.pieces.push(piece);
    call.wake();
    return { isWanted: true };
  }

  /** A worker has disconnected: the replies that it was sampling come no more. */
  lose(workerId: string, link: WorkerLink): void {
    for (const call of this.open.values()) {
      if (call.workerId !== workerId || call.link !== link) continue;
      call.lost = unavailable('reply', 'the connection to its worker was lost; ask again when it is back');
      call.wake();
    }
  }
}

const unavailable = (what: string, finding: string): AppError =>
  new AppError('chat.unavailable', `${what}: ${finding}`);

function toError(
  what: string,
  { code, message }: { readonly code: string; readonly message: string },
): AppError {
  const known = findError(code);
  if (known !== undefined && passed.test(code)) return new AppError(code as never, `${what}: ${message}`);
  return new AppError('chat.failed', `${what}: ${message}; its log has more`);
}
