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
  onChange(range: { readonly from: string; readonly to: string }): void;
}) {
  const given = { from: from?.toString() ?? '', to: to?.toString() ?? '' };
  const field = (name: 'from' | 'to', label: string) => (
    <label>
      {label}{' '}
      <input
        className="number"
        type="number"
        min={1}
        max={lastStep}
        value={given[name]}
        onChange={({ target }) => onChange({ ...given, [name]: target.value })}
      />
    </label>
  );
  return (
    <>
      {field('from', 'From step')}
      {field('to', 'to')}
    </>
  );
}
