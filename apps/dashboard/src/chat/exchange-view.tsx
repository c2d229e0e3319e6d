import { useState } from 'react';
import type { Chat } from '../data/types.js';
import { formatNumber } from '../format/numbers.js';
import { toVisibleToken } from '../format/visible-text.js';
import { measures, shadeOf } from '../microscope/measures.js';
import { Text } from '../parts/text.js';
import { type ChatToken, type Exchange, meanLogprob } from './conversation.js';

interface Props {
  readonly exchange: Exchange;
  readonly chat: Chat | undefined;
  /** of the last exchange: samples its reply again */
  readonly again: (() => void) | undefined;
}

const ends: Readonly<Record<string, string>> = {
  length: 'cut off at the token limit',
  stopped: 'stopped',
};

/** What was said, and the reply: as text, or token by token with its probability. */
export function ExchangeView({ exchange, chat, again }: Props) {
  const { message, text, tokens, prompt, state, step, sampling, opening, error } = exchange;
  const [isByToken, setByToken] = useState(false);
  const mean = meanLogprob(tokens);
  return (
    <div className="exchange">
      {message !== undefined && (
        <article className="said seen">
          <pre>
            <Text of={message} />
          </pre>
        </article>
      )}
      <article className="said written" aria-busy={state === 'waiting' || state === 'replying'}>
        {isByToken ? (
          <Tokens tokens={tokens} />
        ) : (
          <pre>
            {prompt.length > 0 && opening !== '' && (
              <span className="faint" title="given to the model, not sampled">
                <Text of={opening} />
              </span>
            )}
            <Text of={text} />
            {text === '' && ['stop', 'length', 'stopped'].includes(state) && (
              <span className="faint">empty reply</span>
            )}
          </pre>
        )}
        {state === 'waiting' && again !== undefined && (
          <p className="small muted" role="status">
            {tellWaiting(chat)}
          </p>
        )}
        {state === 'failed' && (
          <p className="small down" role="alert">
            <Text of={error ?? ''} />
          </p>
        )}
        {state === 'cut' && (
          <p className="row small muted">
            <span>
              {tokens.length === 0
                ? 'No reply: the page was closed before it arrived'
                : 'Cut off: the page was closed before the reply was complete'}
              , or another tab is still receiving it.
            </span>
            {again !== undefined && <button onClick={again}>Sample again</button>}
          </p>
        )}
        {tokens.length > 0 && (
          <footer className="row small muted">
            <button className="plain" aria-pressed={isByToken} onClick={() => setByToken(!isByToken)}>
              {isByToken ? 'as text' : 'token by token'}
            </button>
            <span>
              step {step} · {tokens.length} tokens after a prompt of {prompt.length} · mean log-probability{' '}
              {formatNumber(mean ?? null)} nats · temperature {sampling.temperature}
              {ends[state] !== undefined && <> · {ends[state]}</>}
            </span>
          </footer>
        )}
      </article>
    </div>
  );
}

/** Why nothing has arrived yet. */
function tellWaiting(chat: Chat | undefined) {
  if (chat === undefined) return <>Waiting for a worker …</>;
  if (chat.state === 'queued')
    return (
      <>
        No worker is free: <Text of={chat.whyWaiting ?? 'it waits for devices'} />
      </>
    );
  if (chat.state === 'running') return <>Loading the model, or reading the conversation …</>;
  return <>A worker is fetching the checkpoint …</>;
}

const [byLogprob] = measures;

/** The tokens of a reply, shaded by their log-probability on the scale of the token view. */
function Tokens({ tokens }: { readonly tokens: readonly ChatToken[] }) {
  return (
    <div className="tokens">
      {tokens.map(({ id, text, logprob }, at) => {
        const { color, share } =
          logprob === null || byLogprob === undefined ? { color: '', share: 0 } : shadeOf(byLogprob, logprob);
        return (
          <span
            key={at}
            className={`token ${logprob === null ? 'hatched' : ''}`}
            title={`token ${id}, log-probability ${logprob === null ? 'not finite' : formatNumber(logprob)}`}
            style={
              logprob === null
                ? {}
                : { background: `color-mix(in srgb, var(${color}) ${share}%, transparent)` }
            }
          >
            {toVisibleToken(text) || '∅'}
            {text.includes('\n') && '\n'}
          </span>
        );
      })}
    </div>
  );
}
