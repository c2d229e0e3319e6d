/** A small line from 0 to 1, or over its own range; gaps where nothing was reported. */
export function Sparkline({
  values,
  from,
  to,
  label,
  width = 104,
  height = 28,
}: {
  readonly values: readonly (number | null)[];
  readonly from?: number;
  readonly to?: number;
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
}) {
  const known = values.filter((value): value is number => value !== null);
  if (known.length === 0)
    return (
      <svg className="spark" width={width} height={height} role="img" aria-label={`${label}: nothing yet`}>
        <line x1="0" x2={width} y1={height - 1} y2={height - 1} strokeDasharray="2 3" />
      </svg>
    );
  const low = Math.min(from ?? Infinity, ...known);
  const high = Math.max(to ?? -Infinity, ...known);
  const x = (index: number): number =>
    values.length === 1 ? width : (index / (values.length - 1)) * (width - 4) + 1;
  const y = (value: number): number => height - 2 - ((value - low) / (high - low || 1)) * (height - 4);
  let path = '';
  let isBroken = true;
  values.forEach((value, index) => {
    if (value !== null) path += `${isBroken ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    isBroken = value === null;
  });
  const last = values.length - 1 - [...values].reverse().findIndex((value) => value !== null);
  return (
    <svg className="spark" width={width} height={height} role="img" aria-label={label}>
      <line x1="0" x2={width} y1={height - 1} y2={height - 1} />
      <path d={path} />
      <circle cx={x(last)} cy={y(values[last] ?? 0)} r="2" />
    </svg>
  );
}
