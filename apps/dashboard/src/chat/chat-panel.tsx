/** @file A chat with a checkpoint of the run, beside the view that is open. What is open, and from where, is in the address. */
import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useSyncExternalStore } from 'react';
import { toVisible } from '../format/visible-text.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { useNewestInView } from '../parts/use-newest-in-view.js';
import { useSearch } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { type ChatPlace, type ChatStart, closedChat, newConversationId, placeOf } from './chat-place.js';
import type { ChatStore, OpenChat } from './chat-store.js';
import { chooseCheckpoint, type Sampling } from './conversation.js';
import { ConversationList } from './conversation-list.js';
import { ExchangeView } from './exchange-view.js';
import type { Keeping } from './kept-conversations.js';
import { SamplingFields } from './sampling-fields.js';
import { SystemField } from './system-field.js';
import { useChat } from './use-chat.js';
import { useChatStore, useKeptList } from './use-chat-store.js';
import '../styles/chat.css';

interface Props {
  readonly run: RunDetails;
  /** the trajectory that is open; undefined: another view is */
  readonly trajectory: string | undefined;
}

export default function ChatPanel({ run, trajectory }: Props) {
  const { client } = useSession();
  const mayAct = useMayAct();
  const [search, setSearch] = useSearch();
  const place = placeOf(search, trajectory);
  const store = useChatStore();
  const opened = useOpened(store, run, place);
  const list = useKeptList(store, run.id);
  const checkpoints = useQuery({
    queryKey: ['checkpoints', run.id],
    queryFn: () => client.runs.checkpoints(run.id),
  });
  const stored = checkpoints.data?.filter(({ isComplete }) => isComplete) ?? [];
  const chosen = chooseCheckpoint(stored, place.step);
  return (
    <aside className="card chat" aria-label="Chat with a checkpoint">
      <header className="row between">
        <h2>Chat</h2>
        <div className="row">
          {stored.length > 0 && (
            <label className="small muted">
              checkpoint{' '}
              <select value={chosen?.step ?? ''} onChange={({ target }) => setSearch({ chat: target.value })}>
                {stored.map(({ step }) => (
                  <option key={step} value={step}>
                    step {step}
                  </option>
                ))}
              </select>
            </label>
          )}
          <button className="plain" onClick={() => setSearch(closedChat)} aria-label="Close the chat">
            ✕
          </button>
        </div>
      </header>
      {checkpoints.error !== null && (
        <ErrorNote error={checkpoints.error} retry={() => void checkpoints.refetch()} />
      )}
      {checkpoints.data === undefined && checkpoints.error === null && <Waiting what="the checkpoints" />}
      {checkpoints.data !== undefined && chosen === undefined && (
        <p className="note muted">
          There is no model to talk to: this run has not saved a checkpoint yet, or its checkpoints were
          deleted.
        </p>
      )}
      {chosen !== undefined && !mayAct && (
        <p className="note muted">
          Chatting loads the model on a worker, so it needs a key with the operator role. With a run folder at
          hand, <code>espalier model chat FOLDER</code> works without a server.
        </p>
      )}
      {chosen !== undefined && mayAct && (
        <>
          <ConversationList
            list={list}
            current={opened.conversation.id}
            onOpen={({ id, step }) =>
              setSearch({ chatId: id, ...(step === null ? {} : { chat: String(step) }) })
            }
            onDelete={(ids) => {
              ids.forEach((id) => store.remove(run.id, id));
              if (ids.includes(opened.conversation.id)) setSearch({ chatId: newConversationId() });
            }}
          />
          <Talk key={opened.serial} store={store} opened={opened} step={chosen.step} />
        </>
      )}
    </aside>
  );
}

/** The conversation of the address, else the newest from its place, which the address then names. */
function useOpened(store: ChatStore, run: RunDetails, place: ChatPlace): OpenChat {
  const [, setSearch] = useSearch();
  const { conversation: named, trajectory, turn, isAfter } = place;
  const id = useMemo(
    () => named ?? store.newestAt(run.id, { trajectory, turn, isAfter }) ?? newConversationId(),
    [store, run.id, named, trajectory, turn, isAfter],
  );
  const fresh = { place: { trajectory, turn, isAfter }, sampling: samplingOf(run) };
  const { serial } = store.open(run.id, id, fresh);
  // it gets another id where another tab changes it, too
  const opened =
    useSyncExternalStore(store.subscribe, () => store.get(serial)) ?? store.open(run.id, id, fresh);
  const current = opened.conversation.id;
  useEffect(() => {
    if (current !== named) setSearch({ chatId: current });
  }, [current, named, setSearch]);
  return opened;
}

interface TalkProps {
  readonly store: ChatStore;
  readonly opened: OpenChat;
  readonly step: number;
}

function Talk({ store, opened, step }: TalkProps) {
  const talk = useChat(store, opened);
  const { conversation, isBusy } = talk;
  const { exchanges, sampling, system, draft, place } = conversation;
  const change = (changed: Partial<typeof conversation>): void => store.change(opened.serial, () => changed);
  const { log, isAtEnd, onScroll } = useNewestInView<HTMLDivElement>(exchanges);
  const isStart = exchanges.length === 0;
  const repliesAtOnce = isStart && place.turn !== undefined && !place.isAfter;
  const send = (): void => {
    if (isBusy || (draft.trim() === '' && !repliesAtOnce)) return;
    isAtEnd.current = true;
    talk.say(repliesAtOnce ? undefined : draft, step);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <>
      <Where place={place} />
      <div
        ref={log}
        className="exchanges"
        role="log"
        aria-label="Conversation"
        tabIndex={0}
        onScroll={onScroll}
      >
        {exchanges.map((one, at) => (
          <ExchangeView
            key={at}
            exchange={one}
            chat={talk.chat}
            again={at === exchanges.length - 1 ? () => talk.again(step) : undefined}
          />
        ))}
      </div>
      <div className="chat-composer stack tight">
        {isStart && place.turn === undefined && (
          <SystemField value={system} onChange={(next) => change({ system: next })} />
        )}
        {repliesAtOnce ? (
          <button className="primary" onClick={send}>
            Let the model reply to turn {(place.turn ?? 0) + 1}
          </button>
        ) : (
          <textarea
            rows={3}
            value={draft}
            aria-label="Message"
            placeholder={isStart ? 'Say something to the model' : 'Say what comes next'}
            onChange={({ target }) => change({ draft: target.value })}
            onKeyDown={press}
          />
        )}
        <div className="row between">
          <div className="row">
            {isBusy && <button onClick={talk.stop}>Stop</button>}
            {!isBusy && !isStart && exchanges.at(-1)?.state !== 'cut' && (
              <button onClick={() => talk.again(step)}>Regenerate</button>
            )}
            {!isStart && <BeginAnew opened={opened} store={store} />}
          </div>
          {!repliesAtOnce && (
            <button className="primary" disabled={isBusy || draft.trim() === ''} onClick={send}>
              Send
            </button>
          )}
        </div>
        <SamplingFields value={sampling} onChange={(next) => change({ sampling: next })} />
        {talk.keeping !== 'kept' && <NotKept because={talk.keeping} />}
        {talk.chat?.state === 'running' && <Loaded step={talk.chat.step} end={() => void talk.end()} />}
      </div>
    </>
  );
}

const notKept: Readonly<Record<Exclude<Keeping, 'kept'>, string>> = {
  full: 'The storage that this browser gives the page is full, so the conversation will be lost when you reload. Delete older conversations to make room.',
  long: 'The conversation is too long to be kept whole, so its newest part will be lost when you reload.',
  refused: 'This browser lets the page store nothing, so the conversation will be lost when you reload.',
};

function NotKept({ because }: { readonly because: keyof typeof notKept }) {
  return (
    <p className="small down" role="status">
      {notKept[because]}
    </p>
  );
}

/** Another conversation from the same place; this one is kept. */
function BeginAnew({ opened, store }: Pick<TalkProps, 'opened' | 'store'>) {
  const [, setSearch] = useSearch();
  const begin = (): void => {
    const id = newConversationId();
    const { runId, place, sampling } = store.get(opened.serial)?.conversation ?? opened.conversation;
    store.open(runId, id, { place, sampling });
    setSearch({ chatId: id });
  };
  return (
    <button className="plain" onClick={begin}>
      New conversation
    </button>
  );
}

function Loaded({ step, end }: { readonly step: number; readonly end: () => void }) {
  return (
    <p className="small muted row between">
      <span>The checkpoint of step {step} stays loaded for 5 minutes after the last message.</span>
      <button className="plain" onClick={end}>
        Unload
      </button>
    </p>
  );
}

/** What the conversation begins with. */
function Where({ place: { trajectory, turn, isAfter } }: { readonly place: ChatStart }) {
  const [search, setSearch] = useSearch();
  if (trajectory === undefined || turn === undefined)
    return (
      <p className="note small muted">
        A new conversation. It starts with the examples of the run, and replies begin as they do in training.
      </p>
    );
  const begin = (after: '1' | undefined): void => setSearch({ chatAfter: after, chatId: undefined });
  return (
    <div className="note small muted stack tight">
      <span>
        Continues from the exact tokens of <span className="mono">{toVisible(trajectory)}</span>
        {search.get('chatTurn') !== String(turn + 1) &&
          `, ${isAfter ? 'after' : 'before'} its reply in turn ${turn + 1}`}
      </span>
      {search.get('chatTurn') === String(turn + 1) && (
        <div className="segmented" role="group" aria-label="Context">
          <button aria-pressed={!isAfter} onClick={() => begin(undefined)}>
            before its reply in turn {turn + 1}
          </button>
          <button aria-pressed={isAfter} onClick={() => begin('1')}>
            after it
          </button>
        </div>
      )}
    </div>
  );
}

/** The settings that the run samples with. */
function samplingOf({ spec }: RunDetails): Sampling {
  const rollout = (spec as { rollout?: Partial<Sampling> & { maxResponseTokens?: number } }).rollout ?? {};
  const { temperature = 1, topP = 1, topK = 0, maxResponseTokens = 64 } = rollout;
  return { temperature, topP, topK, maxTokens: maxResponseTokens };
}
