/** @file Checks one picture of an environment: a valid PNG of bounded size, equal for equal states. */
import { isDeepStrictEqual } from 'node:util';
import { pictureFinding, readPng } from '../draw/png.js';

/**
 * Adds the picture of a state to those known.
 *
 * @throws with the place and a remedy for the author
 */
export function expectPicture(
  known: Map<string, Uint8Array>,
  stateKey: string,
  picture: Uint8Array,
  place: string,
): void {
  const finding = pictureFinding(picture);
  if (finding !== undefined) throw new Error(`picture(), ${place}: returned ${finding}`);
  readPng(picture);
  const before = known.get(stateKey) ?? picture;
  if (!isDeepStrictEqual(Buffer.from(before), Buffer.from(picture)))
    throw new Error(
      `picture(), ${place}: differs from an earlier picture of the state key "${stateKey}"; draw only what the observation shows`,
    );
  known.set(stateKey, picture);
}
