const kinds: Readonly<Record<string, string>> = {
  queued: 'wait',
  assigned: 'wait',
  importing: 'wait',
  running: 'live',
  pausing: 'live',
  cancelling: 'live',
  paused: 'warn',
  cancelled: '',
  finished: 'good',
  failed: 'bad',
  healthy: 'good',
  warning: 'warn',
  collapsed: 'bad',
  error: 'bad',
  info: 'wait',
};

/** A state as a word with a shape, so that colour is not the only sign. */
export function Badge({ of, text = of }: { readonly of: string; readonly text?: string }) {
  return <span className={`badge ${kinds[of] ?? ''}`}>{text}</span>;
}
