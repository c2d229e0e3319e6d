import { useState } from 'react';

interface Typed {
  readonly from: string;
  readonly to: string;
}

/** The steps that are chosen, as numbers that can be typed; empty: none is. */
export function RangeFields({
  from,
  to,
  lastStep,
  onChange,
}: {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly lastStep: number;
  onChange(range: Typed): void;
}) {
  const given = { from: from?.toString() ?? '', to: to?.toString() ?? '' };
  const field = (name: keyof Typed, label: string) => (
    <StepField
      label={label}
      value={given[name]}
      lastStep={lastStep}
      onChange={(typed) => onChange(withEnd(given, name, typed))}
    />
  );
  return (
    <>
      {field('from', 'From step')}
      {field('to', 'to')}
    </>
  );
}

/** A range with another end; the other end follows where there is none, or where the range would be reversed. */
export function withEnd(given: Typed, name: keyof Typed, typed: string): Typed {
  const other = name === 'from' ? given.to : given.from;
  const isReversed = name === 'from' ? Number(other) < Number(typed) : Number(other) > Number(typed);
  const kept = typed !== '' && (other === '' || isReversed) ? typed : other;
  return name === 'from' ? { from: typed, to: kept } : { from: kept, to: typed };
}

/** A number counts when Enter is pressed or the field is left, so that nothing changes under what is being typed. */
function StepField({
  label,
  value,
  lastStep,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly lastStep: number;
  onChange(typed: string): void;
}) {
  const [typed, setTyped] = useState<string>();
  const end = (): void => {
    setTyped(undefined);
    if (typed !== undefined && typed !== value) onChange(typed);
  };
  return (
    <label>
      {label}{' '}
      <input
        className="number"
        type="number"
        min={1}
        max={lastStep}
        value={typed ?? value}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={end}
        onKeyDown={({ key }) => {
          if (key === 'Enter') end();
        }}
      />
    </label>
  );
}
