/** @file A trajectory as a film: pictures, what was written and what was done, played or step by step. The place is in the address. */
import { useEffect, useRef, useState } from 'react';
import type { OpenedTrajectory } from '../data/types.js';
import { formatNumber, formatSeconds } from '../format/numbers.js';
import { isTyping } from '../parts/is-typing.js';
import { LongText } from '../parts/long-text.js';
import { useSearch } from '../routing/router.js';
import { Scene, sceneOf } from '../trajectories/scene.js';
import { Actions } from '../trajectories/turns.js';
import { earnedAt, type Frame, frameMs, framesOf, speeds } from './frames.js';
import '../styles/playback.css';

const partNames = { state: 'sees', reply: 'writes', actions: 'acts', end: 'has ended' } as const;

export default function Playback({ trajectory }: { readonly trajectory: OpenedTrajectory }) {
  const { turns } = trajectory;
  const [search, setSearch] = useSearch();
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const frames = framesOf(turns);
  const asked = Number(search.get('frame') ?? 1) - 1;
  const at = Number.isInteger(asked) ? Math.min(Math.max(0, asked), Math.max(0, frames.length - 1)) : 0;
  const frame = frames[at];
  const isAtEnd = at === frames.length - 1;
  const go = (to: number): void => {
    const next = Math.min(Math.max(0, to), frames.length - 1);
    setSearch({ frame: next === 0 ? undefined : String(next + 1) });
  };
  const play = (): void => {
    if (!isPlaying && isAtEnd) go(0);
    setPlaying(!isPlaying);
  };
  const goByTurn = (by: 1 | -1): void => {
    const turn = (frame?.turn ?? 0) + by;
    const first = frames.findIndex((one) => one.turn === turn);
    if (first !== -1) go(first);
    else go(by > 0 ? frames.length - 1 : 0);
  };
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (isAtEnd) return setPlaying(false);
    const timer = window.setTimeout(() => go(at + 1), frameMs / speed);
    return () => window.clearTimeout(timer);
  });
  const stepTo = (to: number): void => {
    setPlaying(false);
    go(to);
  };
  useFilmKeys({
    ' ': play,
    ArrowLeft: () => stepTo(at - 1),
    ArrowRight: () => stepTo(at + 1),
    ',': () => goByTurn(-1),
    '.': () => goByTurn(1),
    Home: () => stepTo(0),
    End: () => stepTo(frames.length - 1),
    '-': () => setSpeed(speeds.findLast((one) => one < speed) ?? speed),
    '+': () => setSpeed(speeds.find((one) => one > speed) ?? speed),
  });
  if (frame === undefined) return null;
  return (
    <section className="card film" aria-label="Playback">
      <FilmBar
        at={at}
        frames={frames}
        turns={turns.length}
        isPlaying={isPlaying}
        speed={speed}
        play={play}
        stepTo={stepTo}
        setSpeed={setSpeed}
      />
      <Stage trajectory={trajectory} frame={frame} />
      <p className="small muted note">
        A steady pace, not the recorded one. Space plays, ← → step, , and . go by turns, − and + change the
        speed.
      </p>
    </section>
  );
}

interface FilmBarProps {
  readonly at: number;
  readonly frames: readonly Frame[];
  readonly turns: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  play(): void;
  stepTo(frame: number): void;
  setSpeed(speed: number): void;
}

function FilmBar({ at, frames, turns, isPlaying, speed, play, stepTo, setSpeed }: FilmBarProps) {
  const frame = frames[at];
  const isAtEnd = at === frames.length - 1;
  if (frame === undefined) return null;
  return (
    <div className="film-bar">
      <button className="primary" onClick={play} title="key space">
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <button disabled={at === 0} onClick={() => stepTo(at - 1)} aria-label="Step back" title="key ←">
        ◂
      </button>
      <button disabled={isAtEnd} onClick={() => stepTo(at + 1)} aria-label="Step forward" title="key →">
        ▸
      </button>
      <input
        type="range"
        min="1"
        max={frames.length}
        value={at + 1}
        aria-label="Place in the trajectory"
        aria-valuetext={`turn ${frame.turn + 1}, ${partNames[frame.part]}`}
        onChange={({ target }) => stepTo(Number(target.value) - 1)}
      />
      <span className="small muted nowrap" data-frame={at + 1}>
        turn {frame.turn + 1} of {turns}
      </span>
      <div className="segmented" role="group" aria-label="Speed">
        {speeds.map((one) => (
          <button key={one} aria-pressed={speed === one} onClick={() => setSpeed(one)}>
            {one}×
          </button>
        ))}
      </div>
    </div>
  );
}

function Stage({ trajectory, frame }: { readonly trajectory: OpenedTrajectory; readonly frame: Frame }) {
  const { turns, row } = trajectory;
  const turn = turns[frame.turn];
  const after = turns[frame.turn + 1];
  if (turn === undefined) return null;
  const hasActed = frame.part === 'actions' || frame.part === 'end';
  // what the actions led to, where the next turn shows it
  const seen = hasActed && after !== undefined ? after : turn;
  return (
    <div className="stage">
      <div className="stack tight">
        <Scene
          {...sceneOf(seen)}
          alt={seen === turn ? `State before turn ${turn.index + 1}` : `State after turn ${turn.index + 1}`}
        />
        <p className="small muted">
          Reward so far <b className="mono">{formatNumber(earnedAt(turns, frame))}</b>
        </p>
      </div>
      <div className="stack tight told" aria-live="polite">
        <h2>
          Turn {turn.index + 1}: the model {partNames[frame.part]}
        </h2>
        {frame.part !== 'state' && (
          <>
            {turn.think !== '' && (
              <div>
                <div className="small muted">Thought</div>
                <pre className="part">
                  <LongText of={turn.think} />
                </pre>
              </div>
            )}
            <div>
              <div className="small muted">
                Answer, written in {formatSeconds(turn.timings.sampleMs / 1000)}
              </div>
              <pre className="part">
                <LongText of={turn.think === '' ? turn.response : turn.answer} />
              </pre>
            </div>
          </>
        )}
        {hasActed && <Actions actions={turn.actions} />}
        {frame.part === 'end' && (
          <p>
            <b className={row.success ? 'up' : 'down'}>{row.success ? 'Success' : 'No success'}</b>: ended by{' '}
            {row.stopReason}, score {formatNumber(row.reward)}
            {after === undefined && turn.actions.length > 0 && (
              <span className="muted">. The state after the last action is not recorded.</span>
            )}
          </p>
        )}
      </div>
    </div>
  );
}

/** Keys of the film; a field, and what a button does with the space bar, come first. */
function useFilmKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const act = latest.current[key];
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event)) return;
      if (key === ' ' && target instanceof HTMLButtonElement) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
