/** @file Which HTTP status an error code becomes, and which codes may be told to clients at all. */
const byCode: Readonly<Record<string, number>> = {
  'access.unauthenticated': 401,
  'access.bad_key': 422,
  'access.last_admin': 409,
  'access.too_many_queued': 429,
  'access.too_much_stored': 429,
  // named inside a body, not by the address
  'plugin.not_found': 422,
  'model.not_found': 422,
  'worker.fenced': 409,
  'worker.unconfirmed': 425,
  'event.gap': 409,
  'plugin.changed': 409,
  'run.incomplete_import': 409,
  'trajectory.not_stored': 404,
  'trajectory.too_large': 422,
  'trajectory.unreadable': 500,
  'server.not_allowed': 405,
  'server.unsupported_media_type': 415,
  'server.shutting_down': 503,
  'server.internal': 500,
};

const byReason: readonly (readonly [RegExp, number])[] = [
  [/\.not_found$/, 404],
  [/(\.wrong_state|\.not_possible|_state|\.conflict|_exists|_locked|_taken|\.not_possible)$/, 409],
  [/[._]too_large$/, 413],
  [/\.(?:throttled|too_many_(?:requests|sockets|subscriptions|operations))$|\.quota/, 429],
  [/unusable$/, 503],
  [/(write_failed|unavailable)$/, 503],
  [/^access\./, 403],
  [/^(config|plugin|contracts|model)\.|\.invalid_spec$/, 422],
];

/** Areas whose sentences are written for clients; what other areas say is an internal matter. */
const toldAreas = new Set(
  'access server run job worker artifact event stream graphql audit key metric trajectory config plugin contracts model import export'.split(
    ' ',
  ),
);

/** Tells whether an error of this code is meant for clients. */
export function isToldToClients(code: string): boolean {
  return toldAreas.has(code.slice(0, code.indexOf('.')));
}

/** Gives the HTTP status of an error code: 400 unless a rule says otherwise. */
export function statusOf(code: string): number {
  return byCode[code] ?? byReason.find(([pattern]) => pattern.test(code))?.[1] ?? 400;
}
