/** @file A chat with a checkpoint of the run, beside the view that is open. What is open, and from where, is in the address. */
import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type UIEvent, useEffect, useRef, useState } from 'react';
import { ErrorNote, Waiting } from '../parts/states.js';
import { useSearch } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { type ChatPlace, placeOf } from './chat-place.js';
import { chooseCheckpoint, type Context, type Sampling } from './conversation.js';
import { ExchangeView } from './exchange-view.js';
import { SamplingFields } from './sampling-fields.js';
import { SystemField } from './system-field.js';
import { useChat } from './use-chat.js';
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
  const checkpoints = useQuery({
    queryKey: ['checkpoints', run.id],
    queryFn: () => client.runs.checkpoints(run.id),
  });
  const stored = checkpoints.data?.filter(({ isComplete }) => isComplete) ?? [];
  const chosen = chooseCheckpoint(stored, place.step);
  const close = (): void => setSearch({ chat: undefined, chatTurn: undefined, chatAfter: undefined });
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
          <button className="plain" onClick={close} aria-label="Close the chat">
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
          No checkpoint of this run is stored, so there is no model to talk to: it has saved none yet, or they
          were deleted.
        </p>
      )}
      {chosen !== undefined && !mayAct && (
        <p className="note muted">A key of role operator chats: it loads a model on a worker.</p>
      )}
      {chosen !== undefined && mayAct && (
        <Talk key={keyOf(run.id, place)} run={run} step={chosen.step} place={place} />
      )}
    </aside>
  );
}

const keyOf = (runId: string, { trajectory, turn, isAfter }: ChatPlace): string =>
  [runId, trajectory, turn, isAfter].join(' ');

const contextOf = ({ trajectory, turn, isAfter }: ChatPlace): Context =>
  trajectory === undefined || turn === undefined
    ? {}
    : { trajectory, turn, ...(isAfter ? { withReply: true } : {}) };

interface TalkProps {
  readonly run: RunDetails;
  readonly step: number;
  readonly place: ChatPlace;
}

function Talk({ run, step, place }: TalkProps) {
  const [system, setSystem] = useState<string>();
  const talk = useChat(run.id, keyOf(run.id, place), {
    ...contextOf(place),
    ...(system === undefined ? {} : { system }),
  });
  const { exchanges, isBusy } = talk;
  const [sampling, setSampling] = useState<Sampling>(() => samplingOf(run));
  const [text, setText] = useState('');
  const { log, isAtEnd, onScroll } = useNewestInView(exchanges);
  const isStart = exchanges.length === 0;
  const repliesAtOnce = isStart && place.turn !== undefined && !place.isAfter;
  const send = (): void => {
    if (isBusy || (text.trim() === '' && !repliesAtOnce)) return;
    isAtEnd.current = true;
    talk.say({ message: repliesAtOnce ? undefined : text, step, sampling });
    setText('');
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
          <ExchangeView key={at} exchange={one} isLast={at === exchanges.length - 1} chat={talk.chat} />
        ))}
      </div>
      <div className="chat-composer stack tight">
        {isStart && place.turn === undefined && <SystemField value={system} onChange={setSystem} />}
        {repliesAtOnce ? (
          <button className="primary" onClick={send}>
            Let it reply to turn {(place.turn ?? 0) + 1}
          </button>
        ) : (
          <textarea
            rows={3}
            value={text}
            aria-label="Message"
            placeholder={isStart ? 'Say something to the model' : 'Say what comes next'}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={press}
          />
        )}
        <div className="row between">
          <div className="row">
            {isBusy && <button onClick={talk.stop}>Stop</button>}
            {!isBusy && !isStart && (
              <button onClick={() => talk.again({ step, sampling })}>Regenerate</button>
            )}
            {!isStart && (
              <button className="plain" onClick={talk.clear}>
                Begin anew
              </button>
            )}
          </div>
          {!repliesAtOnce && (
            <button className="primary" disabled={isBusy || text.trim() === ''} onClick={send}>
              Send
            </button>
          )}
        </div>
        <SamplingFields value={sampling} onChange={setSampling} />
        {talk.chat?.state === 'running' && <Loaded step={talk.chat.step} end={() => void talk.end()} />}
      </div>
    </>
  );
}

function Loaded({ step, end }: { readonly step: number; readonly end: () => void }) {
  return (
    <p className="small muted row between">
      <span>Step {step} stays loaded for 5 min.</span>
      <button className="plain" onClick={end}>
        Unload
      </button>
    </p>
  );
}

/** The newest stays in view until one scrolls up. */
function useNewestInView(of: unknown) {
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [of]);
  const onScroll = ({
    currentTarget: { scrollHeight, scrollTop, clientHeight },
  }: UIEvent<HTMLElement>): void => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  return { log, isAtEnd, onScroll };
}

/** What the conversation begins with. */
function Where({ place: { trajectory, turn, isAfter } }: { readonly place: ChatPlace }) {
  const [, setSearch] = useSearch();
  if (trajectory === undefined || turn === undefined)
    return (
      <p className="note small muted">
        A new conversation, which begins with the examples of the run; replies are opened as in training.
      </p>
    );
  return (
    <div className="note small muted stack tight">
      <span>
        Behind the tokens of <span className="mono">{trajectory}</span>, as the model had them
      </span>
      <div className="segmented" role="group" aria-label="Context">
        <button aria-pressed={!isAfter} onClick={() => setSearch({ chatAfter: undefined })}>
          before its reply in turn {turn + 1}
        </button>
        <button aria-pressed={isAfter} onClick={() => setSearch({ chatAfter: '1' })}>
          after it
        </button>
      </div>
    </div>
  );
}

/** The settings that the run samples with. */
function samplingOf({ spec }: RunDetails): Sampling {
  const rollout = (spec as { rollout?: Partial<Sampling> & { maxResponseTokens?: number } }).rollout ?? {};
  const { temperature = 1, topP = 1, topK = 0, maxResponseTokens = 64 } = rollout;
  return { temperature, topP, topK, maxTokens: maxResponseTokens };
}
