/**
 * @file Talks to a checkpoint: starts its chat when something is first said, waits for a worker, and takes in the reply.
 * Conversations outlive the panel, not the page.
 */
import type { Client } from '@espalier/client';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { isAway } from '../data/errors.js';
import type { Chat } from '../data/types.js';
import { useSession } from '../session/session-context.js';
import { type Context, contextAfter, type Exchange, type Sampling, withPiece } from './conversation.js';

interface Kept {
  readonly exchanges: readonly Exchange[];
  /** of the checkpoint that was last talked to; undefined: none yet */
  readonly chat: Chat | undefined;
}

const kept = new Map<string, Kept>();
const listeners = new Set<() => void>();
const nothing: Kept = { exchanges: [], chat: undefined };

function change(key: string, by: (old: Kept) => Kept): void {
  kept.set(key, by(kept.get(key) ?? nothing));
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Changes the last exchange. */
const changeLast = (key: string, by: (last: Exchange) => Exchange): void =>
  change(key, ({ exchanges, chat }) => ({
    chat,
    exchanges: exchanges.map((one, at) => (at === exchanges.length - 1 ? by(one) : one)),
  }));

const pollMs = 500;

export interface Said {
  readonly message: string | undefined;
  readonly step: number;
  readonly sampling: Sampling;
}

/** Starts the chat with a checkpoint, unless it runs; resolves when its model can be asked. */
async function load(
  client: Client,
  { runId, step, key }: { readonly runId: string; readonly step: number; readonly key: string },
  signal: AbortSignal,
): Promise<Chat> {
  let now = await client.chats.start(runId, { step });
  for (;;) {
    const current = now;
    change(key, (old) => ({ ...old, chat: current }));
    if (now.state === 'running') return now;
    if (now.endedAt !== null) throw new Error(now.message === '' ? `The chat is ${now.state}.` : now.message);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    signal.throwIfAborted();
    // the page lives through a restart of the server, and so does what it waits for
    now = await client.chats.get(runId, now.jobId).catch((error: unknown) => {
      if (isAway(error)) return current;
      throw error;
    });
  }
}

/** @param key one conversation; another key is another one. @param start what its first message continues */
export function useChat(runId: string, key: string, start: Context) {
  const { client } = useSession();
  const { exchanges, chat } = useSyncExternalStore(subscribe, () => kept.get(key) ?? nothing);
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), [key]);

  const ask = async (exchange: Exchange): Promise<void> => {
    const controller = new AbortController();
    stopping.current = controller;
    const { signal } = controller;
    const { message, context, sampling, step } = exchange;
    try {
      const { jobId } = await load(client, { runId, step, key }, signal);
      const said = message === undefined ? {} : { message };
      for await (const piece of client.chats.reply(
        runId,
        jobId,
        { ...said, ...context, ...sampling },
        signal,
      )) {
        if (signal.aborted) break;
        changeLast(key, (last) => withPiece(last, piece));
      }
      changeLast(key, (last) => (last.state === 'replying' ? { ...last, state: 'stopped' } : last));
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      changeLast(key, (last) =>
        signal.aborted ? { ...last, state: 'stopped' } : { ...last, state: 'failed', error: failure },
      );
    } finally {
      if (stopping.current === controller) stopping.current = undefined;
    }
  };
  const say = ({ message, step, sampling }: Said, before = exchanges): void => {
    const context = contextAfter(before, start);
    const next: Exchange = {
      message,
      context,
      sampling,
      step,
      text: '',
      tokens: [],
      prompt: [],
      state: 'waiting',
    };
    change(key, (old) => ({ ...old, exchanges: [...before, next] }));
    void ask(next);
  };
  const last = exchanges.at(-1);
  return {
    exchanges,
    chat,
    isBusy: last?.state === 'waiting' || last?.state === 'replying',
    say,
    /** Samples the last reply again, with the settings as they are now. */
    again: (said: Omit<Said, 'message'>): void => {
      if (last !== undefined) say({ ...said, message: last.message }, exchanges.slice(0, -1));
    },
    stop: (): void => stopping.current?.abort(),
    clear: (): void => {
      stopping.current?.abort();
      change(key, (old) => ({ ...old, exchanges: [] }));
    },
    /** Unloads the model. */
    end: async (): Promise<void> => {
      stopping.current?.abort();
      if (chat === undefined) return;
      const ended = await client.chats.end(runId, chat.jobId);
      change(key, (old) => ({ ...old, chat: ended }));
    },
  };
}
