/** @file What the server refuses of a spec, with the place in the text: `spec:3:5: rollout.x is …`. */

export interface SpecProblem {
  /** from 1 */
  readonly line: number;
  readonly column: number;
  /** dotted path of the option; empty: none */
  readonly path: string;
  readonly message: string;
}

/** Reads the problems of a refusal; one without a place is about the whole text. */
export function readProblems(details: Readonly<Record<string, unknown>>): SpecProblem[] {
  const listed = Array.isArray(details['problems']) ? (details['problems'] as unknown[]) : [];
  return listed.map((problem) => {
    const text = String(problem);
    const [, line, column, message = text] = /^[^\s:]*:(\d+):(\d+): (.*)$/s.exec(text) ?? [];
    const named = line === undefined ? undefined : /^([A-Za-z][\w-]*(?:\.[\w-]+)*)/.exec(message)?.[1];
    return { line: Number(line ?? 1), column: Number(column ?? 1), path: named ?? '', message };
  });
}

/** The details of what a call was refused with. */
export function detailsOf(error: unknown): Readonly<Record<string, unknown>> {
  return ((error as { details?: Record<string, unknown> } | null)?.details ?? {}) as Record<string, unknown>;
}
