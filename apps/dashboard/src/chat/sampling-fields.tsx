import { useState } from 'react';
import type { Sampling } from './conversation.js';

interface Field {
  readonly name: keyof Sampling;
  readonly label: string;
  readonly isValid: (value: number) => boolean;
  readonly range: string;
}

const fields: readonly Field[] = [
  {
    name: 'temperature',
    label: 'Temperature',
    isValid: (value) => value >= 0 && value <= 10,
    range: '0 (greedy) to 10',
  },
  { name: 'topP', label: 'Top-p', isValid: (value) => value > 0 && value <= 1, range: 'above 0, at most 1' },
  {
    name: 'topK',
    label: 'Top-k',
    isValid: (value) => Number.isInteger(value) && value >= 0,
    range: 'a whole number; 0: all tokens',
  },
  {
    name: 'maxTokens',
    label: 'Tokens',
    isValid: (value) => Number.isInteger(value) && value >= 1 && value <= 262_144,
    range: '1 to 262,144',
  },
];

interface Props {
  readonly value: Sampling;
  onChange(value: Sampling): void;
}

/** How replies are sampled; what is no such number is marked, and the last one that was holds. */
export function SamplingFields({ value, onChange }: Props) {
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  return (
    <details className="sampling">
      <summary className="small">
        Sampling: temperature {value.temperature}, top-p {value.topP}, top-k {value.topK}, at most{' '}
        {value.maxTokens} tokens
      </summary>
      <div className="row">
        {fields.map(({ name, label, isValid, range }) => {
          const text = written[name] ?? String(value[name]);
          const number = text.trim() === '' ? Number.NaN : Number(text);
          return (
            <label key={name} className="small muted" title={range}>
              {label}{' '}
              <input
                className="number"
                inputMode="decimal"
                value={text}
                aria-invalid={!isValid(number)}
                onChange={({ target }) => {
                  setWritten({ ...written, [name]: target.value });
                  const next = target.value.trim() === '' ? Number.NaN : Number(target.value);
                  if (isValid(next)) onChange({ ...value, [name]: next });
                }}
              />
            </label>
          );
        })}
      </div>
    </details>
  );
}
