/** @file Which things there are, what can be done with each, and where each may lie: ALFWorld's, written as a table. */
import type { Trait } from './house.js';

export interface ThingKind {
  readonly traits: readonly Trait[];
  readonly isVessel: boolean;
  /** kinds of receptacles */
  readonly places: ReadonlySet<string>;
}

const tables = 'countertop diningtable coffeetable sidetable';
const furniture = `${tables} desk dresser shelf`;
const seats = 'sofa armchair ottoman';
const bath = 'toilet cart';

/** Kind, what can be done besides picking up (or `vessel`), and places. */
const table: readonly (readonly [kinds: string, able: string, places: string])[] = [
  ['apple potato tomato', 'clean heat cool slice', `${tables} fridge garbagecan microwave sinkbasin`],
  ['egg', 'clean heat cool slice', `${tables} fridge garbagecan microwave sinkbasin`],
  ['lettuce', 'clean cool slice', `${tables} fridge garbagecan sinkbasin`],
  ['bread', 'heat cool slice', `${tables} fridge garbagecan microwave`],
  ['bowl', 'clean cool vessel', `${furniture} cabinet fridge microwave sinkbasin`],
  ['cup plate', 'clean heat cool vessel', `${furniture} cabinet fridge microwave sinkbasin`],
  ['mug', 'clean heat cool vessel', `${furniture} cabinet cart coffeemachine fridge microwave sinkbasin`],
  ['pan', 'clean cool vessel', `${tables} cabinet fridge sinkbasin stoveburner`],
  ['pot', 'clean cool vessel', `${tables} cabinet fridge shelf sinkbasin stoveburner`],
  ['kettle', 'clean', `${tables} cabinet shelf sinkbasin stoveburner`],
  ['butterknife fork knife spatula spoon', 'clean', `${tables} drawer sinkbasin`],
  ['ladle', 'clean', `${tables} cabinet drawer sinkbasin`],
  ['dishsponge', 'clean', `${tables} ${bath} bathtubbasin cabinet drawer garbagecan shelf sinkbasin`],
  ['peppershaker saltshaker', '', `${tables} cabinet drawer shelf`],
  ['winebottle', 'cool', `${furniture} cabinet fridge garbagecan`],
  ['glassbottle', '', `${furniture} cabinet fridge microwave sinkbasin`],
  ['soapbottle', '', `${tables} ${bath} cabinet desk drawer garbagecan shelf`],
  ['spraybottle', '', `${furniture} ${bath} cabinet drawer garbagecan`],
  ['soapbar', 'clean', `${tables} ${bath} bathtubbasin cabinet drawer garbagecan shelf sinkbasin`],
  [
    'cloth',
    'clean',
    `${furniture} ${seats} ${bath} bathtubbasin cabinet drawer garbagecan laundryhamper sinkbasin`,
  ],
  ['handtowel', '', `${tables} ${bath} cabinet drawer handtowelholder shelf sinkbasin`],
  ['towel', '', 'towelholder'],
  ['toiletpaper', '', `${furniture} ${bath} cabinet drawer garbagecan toiletpaperhanger`],
  ['plunger', '', 'cabinet cart'],
  ['tissuebox', '', `${furniture} ${bath} cabinet drawer garbagecan tvstand`],
  ['candle', '', `${furniture} ${bath} cabinet drawer`],
  ['vase', '', `${furniture} cabinet cart safe`],
  ['statue', '', `${furniture} cart safe`],
  ['wateringcan', '', `${furniture} cabinet drawer`],
  ['book', '', `${furniture} ${seats} bed cabinet drawer`],
  ['newspaper', '', `${furniture} ${seats} bed cabinet drawer garbagecan toilet`],
  ['pen pencil', '', `${furniture} drawer garbagecan`],
  ['cd', '', `${furniture} cabinet drawer garbagecan safe`],
  ['cellphone', '', `${furniture} ${seats} bed drawer safe`],
  ['creditcard keychain', '', `${furniture} ${seats} drawer safe`],
  ['watch', '', `${furniture} drawer safe`],
  ['remotecontrol', '', `${furniture} ${seats} drawer`],
  ['laptop', '', `${tables} ${seats} bed desk dresser`],
  ['pillow', '', `${seats} bed`],
  ['alarmclock', '', furniture],
  ['box', 'vessel', `${furniture} ${seats} cabinet`],
  ['basketball', '', `${tables} ${seats} bed desk dresser`],
  ['baseballbat', '', `${tables} bed`],
  ['tennisracket', '', `${tables} bed desk dresser`],
];

const traitOf: Readonly<Record<string, Trait>> = {
  clean: 'cleanable',
  heat: 'heatable',
  cool: 'coolable',
  slice: 'sliceable',
};

/** Things that can be carried, by kind, and the lamp, which stays where it is. */
export const thingKinds: ReadonlyMap<string, ThingKind> = new Map([
  ...table.flatMap(([kinds, able, places]) =>
    kinds.split(' ').map((kind): readonly [string, ThingKind] => {
      const words = able.split(' ');
      const traits = words.map((word) => traitOf[word]).filter((trait) => trait !== undefined);
      return [
        kind,
        {
          traits: ['pickupable', ...traits],
          isVessel: words.includes('vessel'),
          places: new Set(places.split(' ')),
        },
      ];
    }),
  ),
  [
    'desklamp',
    { traits: ['toggleable'], isVessel: false, places: new Set(['desk', 'dresser', 'shelf', 'sidetable']) },
  ],
]);

/** Receptacles with a door. */
export const openableKinds: ReadonlySet<string> = new Set([
  'cabinet',
  'drawer',
  'fridge',
  'microwave',
  'safe',
]);
