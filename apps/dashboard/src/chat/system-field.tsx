/** @file Chooses the system message of a new conversation. */

interface SystemFieldProps {
  /** undefined: that of the run; empty: none */
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

export function SystemField({ value, onChange }: SystemFieldProps) {
  return (
    <details className="small">
      <summary>
        System message: {value === undefined ? 'from the run' : value === '' ? 'none' : 'custom'}
      </summary>
      <label className="row">
        <input
          type="checkbox"
          checked={value === undefined}
          onChange={({ target }) => onChange(target.checked ? undefined : '')}
        />
        use the one of the run
      </label>
      {value !== undefined && (
        <textarea
          rows={2}
          value={value}
          aria-label="System message"
          placeholder="None. Leave it empty if the chat template of the model has no system role"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </details>
  );
}
