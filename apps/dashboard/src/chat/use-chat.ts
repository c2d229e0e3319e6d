/**
 * @file Talks to a checkpoint: starts its chat when something is first said, waits for a worker, and takes in the reply,
 * which stops when the panel goes.
 */
import type { Client } from '@espalier/client';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { describeError, isAway } from '../data/errors.js';
import type { Chat } from '../data/types.js';
import { useSession } from '../session/session-context.js';
import { type ChatStore, isBusy, type OpenChat } from './chat-store.js';
import { type Context, contextAfter, type Exchange, startOf, withPiece } from './conversation.js';

const pollMs = 500;
const leavingMs = 50;
/** between two looks at whether the model is still loaded */
const lookEveryMs = 15_000;

/** Starts the chat with a checkpoint, unless it runs; resolves when its model can be asked. */
async function load(
  client: Client,
  { runId, step, onChat }: { runId: string; step: number; onChat: (chat: Chat) => void },
  signal: AbortSignal,
): Promise<Chat> {
  let now = await client.chats.start(runId, { step });
  for (;;) {
    const current = now;
    onChat(current);
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

/** Looks whether the model is still there: it is unloaded when nobody asks it anything for a while. */
function useStillLoaded(store: ChatStore, first: OpenChat, chat: Chat | undefined): void {
  const { client } = useSession();
  const { serial } = first;
  const { runId } = first.conversation;
  const loaded = chat?.state === 'running' ? chat.jobId : undefined;
  useEffect(() => {
    if (loaded === undefined) return undefined;
    const look = async (): Promise<void> => {
      try {
        store.setChat(serial, await client.chats.get(runId, loaded));
      } catch {
        // the next look, or the next message, tells
      }
    };
    const timer = window.setInterval(() => void look(), lookEveryMs);
    return () => window.clearInterval(timer);
  }, [client, store, runId, serial, loaded]);
}

/** The conversation of a serial as it changes. @param first as it was opened */
export function useChat(store: ChatStore, first: OpenChat) {
  const { client } = useSession();
  const { serial } = first;
  const { conversation, chat, keeping } = useSyncExternalStore(
    store.subscribe,
    () => store.get(serial) ?? first,
  );
  const { runId, exchanges, sampling } = conversation;
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), [serial]);

  useStillLoaded(store, first, chat);

  const changeLast = (by: (last: Exchange) => Exchange): void =>
    store.change(serial, ({ exchanges: now }) => ({
      exchanges: now.map((one, at) => (at === now.length - 1 ? by(one) : one)),
    }));

  const ask = async ({ message, sampling: by, step }: Exchange, context: Context): Promise<void> => {
    const controller = new AbortController();
    stopping.current = controller;
    const { signal } = controller;
    try {
      const onChat = (now: Chat): void => store.setChat(serial, now);
      const { jobId, replyBegins } = await load(client, { runId, step, onChat }, signal);
      changeLast((last) => ({ ...last, opening: replyBegins }));
      const said = message === undefined ? {} : { message };
      for await (const piece of client.chats.reply(runId, jobId, { ...said, ...context, ...by }, signal)) {
        if (signal.aborted) break;
        changeLast((last) => withPiece(last, piece));
      }
      changeLast((last) => (last.state === 'replying' ? { ...last, state: 'stopped' } : last));
    } catch (error) {
      // a page that is left breaks its requests off first: that is no failure, and the reply is kept as cut
      await new Promise((resolve) => setTimeout(resolve, leavingMs));
      changeLast((last) =>
        signal.aborted
          ? { ...last, state: 'stopped' }
          : { ...last, state: 'failed', error: describeError(error) },
      );
    } finally {
      if (stopping.current === controller) stopping.current = undefined;
    }
  };
  const say = (message: string | undefined, step: number, before = exchanges): void => {
    const next: Exchange = {
      message,
      sampling,
      step,
      opening: '',
      text: '',
      tokens: [],
      prompt: [],
      state: 'waiting',
    };
    store.change(serial, () => ({ exchanges: [...before, next] }));
    void ask(next, contextAfter(before, startOf(conversation)));
  };
  const end = async (): Promise<void> => {
    stopping.current?.abort();
    if (chat !== undefined) store.setChat(serial, await client.chats.end(runId, chat.jobId));
  };
  return {
    conversation,
    chat,
    keeping,
    isBusy: isBusy(exchanges),
    /** Says what is written. @param message undefined: the model replies at once */
    say: (message: string | undefined, step: number): void => {
      say(message, step);
      store.change(serial, () => ({ draft: '' }));
    },
    /** Samples the last reply again, with the settings as they are now. */
    again: (step: number): void => {
      const last = exchanges.at(-1);
      if (last !== undefined) say(last.message, step, exchanges.slice(0, -1));
    },
    /** Stops the reply; of a model that is not loaded yet, the loading. */
    stop: (): void => {
      stopping.current?.abort();
      if (chat !== undefined && chat.endedAt === null && chat.state !== 'running')
        end().catch(() => undefined);
    },
    /** Unloads the model. */
    end,
  };
}
