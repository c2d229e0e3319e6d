/**
 * Whether specs with a long form run it. `npm run test:long` runs those specs in full; `npm run verify` runs what shows
 * that each still works.
 */
export const isLong = process.env['TEST_LONG'] !== undefined;
