import { useEffect, useRef, useState } from 'react';

/** What the contracts say about a metric. */
export interface MetricFacts {
  readonly name: string;
  readonly unit: string | null;
  readonly formula: string | null;
}

const noFacts: ReadonlyMap<string, MetricFacts> = new Map();

/** ⓘ: what a number or a picture is, how each metric of it is computed, its unit and its raw name. */
export function About({
  title,
  words,
  metrics = [],
  facts = noFacts,
}: {
  readonly title: string;
  /** what no metric says */
  readonly words?: string;
  readonly metrics?: readonly string[];
  readonly facts?: ReadonlyMap<string, MetricFacts>;
}) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = (event: Event): void => {
      if (
        event instanceof KeyboardEvent
          ? event.key === 'Escape'
          : !place.current?.contains(event.target as Node)
      )
        setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [isOpen]);
  return (
    <span className="about" ref={place}>
      <button
        className="plain"
        aria-expanded={isOpen}
        aria-label={`What is ${title}?`}
        onClick={() => setOpen(!isOpen)}
      >
        <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.3" />
          <circle cx="8" cy="4.9" r="0.9" fill="currentColor" />
          <path d="M8 7.2v4.2" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
        </svg>
      </button>
      {isOpen && (
        <dl className="card" role="note" ref={keepInWindow}>
          {words !== undefined && (
            <div>
              <dd>{words}</dd>
            </div>
          )}
          {metrics.map((name) => {
            const { unit = null, formula = null } = facts.get(name) ?? {};
            return (
              <div key={name}>
                <dt className="mono">{name}</dt>
                <dd>
                  {formula ?? (facts.has(name) ? 'no description' : 'not recorded here')}
                  {unit !== null && unit !== '1' && <span className="faint"> · {unit}</span>}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </span>
  );
}

const margin = 8;

/** Moves what stands out of the window, left or right, back into it. */
function keepInWindow(element: HTMLElement | null): void {
  if (element === null) return;
  const { left, right } = element.getBoundingClientRect();
  const end = document.documentElement.clientWidth - margin;
  element.style.translate = `${Math.max(margin - left, Math.min(0, end - right))}px 0`;
}
