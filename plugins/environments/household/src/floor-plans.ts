/**
 * @file The rooms of ALFWorld's 120 floor plans: 30 of each kind, with the receptacles and the kinds of things of each. Derived from the
 * layouts of ALFWorld (MIT, see LICENSE-ALFWorld); a burner is counted four times, since the layouts name it once.
 */

export const roomKinds = ['kitchen', 'living room', 'bedroom', 'bathroom'] as const;
export type RoomKind = (typeof roomKinds)[number];

/** A room: `cabinet 9, fridge` are nine cabinets and a fridge. */
export interface FloorPlan {
  readonly receptacles: readonly string[];
  readonly things: readonly string[];
}

/** Things in every room of a kind. */
const common: Readonly<Record<RoomKind, string>> = {
  kitchen:
    'apple bowl bread cup dishsponge egg fork knife lettuce mug pan peppershaker plate pot potato saltshaker soapbottle spatula spoon tomato',
  'living room': 'box creditcard keychain laptop pillow remotecontrol',
  bedroom: 'alarmclock book cd cellphone creditcard keychain laptop pen pencil pillow',
  bathroom: 'candle cloth handtowel plunger soapbar soapbottle spraybottle toiletpaper towel',
};

/** A room a line: ALFWorld's number, the receptacles, and what else is there. */
const rows: Readonly<Record<RoomKind, string>> = {
  kitchen: `
1 | cabinet 8, coffeemachine, countertop 3, drawer 8, fridge, garbagecan, microwave, shelf 2, sinkbasin, stoveburner 4, toaster | book butterknife creditcard glassbottle kettle statue vase winebottle
2 | cabinet 9, coffeemachine, countertop 2, drawer 9, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife cellphone kettle ladle
3 | cabinet 4, coffeemachine, countertop, drawer 6, fridge, garbagecan, microwave, sidetable, sinkbasin, stoveburner 4, toaster | kettle winebottle
4 | cabinet 2, coffeemachine, countertop 3, diningtable, drawer 6, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife ladle
5 | cabinet 20, coffeemachine, countertop 3, drawer 3, fridge, garbagecan, microwave, shelf 3, sinkbasin, stoveburner 4, toaster | butterknife kettle ladle statue vase
6 | cabinet 15, coffeemachine, countertop 4, drawer 4, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife kettle
7 | cabinet 13, coffeemachine, countertop, diningtable, drawer 4, fridge, garbagecan, microwave, shelf 3, sinkbasin, stoveburner 4, toaster | book butterknife kettle statue vase winebottle
8 | cabinet 18, coffeemachine, countertop 4, drawer 7, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife glassbottle kettle ladle pen spraybottle
9 | cabinet 28, coffeemachine, countertop 3, diningtable, drawer 11, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife kettle
10 | cabinet 3, coffeemachine, countertop 3, drawer 3, fridge, garbagecan, microwave, shelf 3, sinkbasin, stoveburner 4, toaster | butterknife cellphone creditcard glassbottle statue vase
11 | cabinet 10, coffeemachine, countertop 3, diningtable, drawer 5, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife kettle
12 | cabinet 15, coffeemachine, countertop 3, drawer 4, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife
13 | cabinet 17, coffeemachine, countertop 3, drawer 8, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife pencil winebottle
14 | cabinet 4, coffeemachine, countertop 2, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife ladle
15 | cabinet 8, coffeemachine, countertop 2, diningtable, drawer 3, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife kettle winebottle
16 | cabinet 21, coffeemachine, countertop 2, diningtable, drawer 12, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife glassbottle ladle winebottle
17 | cabinet 9, coffeemachine, countertop 2, diningtable 2, drawer, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife cellphone glassbottle kettle spraybottle winebottle
18 | cabinet 13, coffeemachine, countertop 2, diningtable, drawer 5, fridge, garbagecan, microwave, safe, sinkbasin, stoveburner 4, toaster | butterknife kettle
19 | cabinet 13, coffeemachine, countertop 2, diningtable, drawer, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife
20 | cabinet 11, coffeemachine, countertop, diningtable, drawer, fridge, garbagecan, microwave, shelf 3, sinkbasin, stoveburner 4, toaster | butterknife ladle winebottle
21 | cabinet 4, coffeemachine, countertop, diningtable 3, drawer, fridge, garbagecan, microwave, sidetable, sinkbasin, stoveburner 4, toaster | butterknife
22 | cabinet 20, coffeemachine, countertop 3, drawer 2, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife creditcard kettle
23 | cabinet 6, coffeemachine, countertop, diningtable, drawer, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife glassbottle pen pencil winebottle
24 | cabinet 21, coffeemachine, countertop 3, diningtable, drawer 3, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife
25 | cabinet 8, coffeemachine, countertop, drawer 5, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife ladle
26 | cabinet 5, coffeemachine, countertop 2, diningtable 2, drawer 3, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife
27 | cabinet 9, coffeemachine, countertop 2, diningtable, drawer 3, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife ladle winebottle
28 | cabinet 9, coffeemachine, countertop 2, diningtable 2, drawer, fridge, garbagecan, microwave, sidetable, sinkbasin, stoveburner 4, toaster | butterknife
29 | cabinet 6, coffeemachine, countertop 2, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife kettle
30 | cabinet 13, coffeemachine, countertop 4, drawer 27, fridge, garbagecan, microwave, sinkbasin, stoveburner 4, toaster | butterknife cellphone glassbottle kettle ladle
`,
  'living room': `
201 | armchair 2, coffeetable, diningtable 2, drawer 2, garbagecan, sidetable 2, sofa, tvstand | book bowl newspaper pen pencil plate statue tissuebox vase watch
202 | armchair, coffeetable, garbagecan, sidetable, sofa, tvstand | book statue watch
203 | armchair, coffeetable, diningtable, drawer 6, garbagecan, ottoman, sidetable, sofa | book bowl cellphone newspaper pencil plate tissuebox vase watch wateringcan
204 | armchair, coffeetable, desk, diningtable, drawer 6, garbagecan, safe, shelf 3, sofa 2, tvstand | cellphone statue vase wateringcan
205 | armchair 2, diningtable, drawer 4, dresser, garbagecan, ottoman, sidetable 3, sofa | desklamp statue watch wateringcan
206 | armchair, coffeetable, garbagecan, shelf 14, sofa, tvstand 2 | bowl statue vase
207 | armchair 2, coffeetable 2, garbagecan, shelf 8, sofa, tvstand | statue vase watch
208 | armchair, diningtable, drawer, garbagecan, ottoman, shelf 8, sidetable, sofa, tvstand | statue vase
209 | armchair, coffeetable, drawer 3, dresser, garbagecan, sidetable 2, sofa | book newspaper pen statue vase watch wateringcan
210 | armchair, coffeetable 2, drawer 8, dresser 2, garbagecan, ottoman, sofa | desklamp newspaper statue watch wateringcan
211 | armchair, coffeetable, drawer, garbagecan, shelf 4, sidetable 2, sofa, tvstand | cellphone newspaper plate statue vase
212 | armchair 2, coffeetable, drawer, garbagecan, shelf 4, sidetable, sofa, tvstand 2 | newspaper pen pencil statue tissuebox wateringcan
213 | armchair 2, coffeetable, diningtable, drawer 12, dresser, garbagecan, sidetable 3, sofa | book statue watch
214 | armchair, coffeetable, garbagecan, shelf, sidetable, sofa 2 | newspaper plate statue vase wateringcan
215 | coffeetable 2, garbagecan, shelf 8, sidetable 2, sofa | bowl desklamp newspaper statue vase watch wateringcan
216 | armchair, diningtable, drawer 4, garbagecan, shelf, sidetable 3, sofa | desklamp newspaper statue tissuebox vase
217 | armchair 2, cabinet 4, coffeetable, drawer 4, dresser, garbagecan, sidetable, sofa | statue watch wateringcan
218 | coffeetable, diningtable, drawer 4, dresser, garbagecan, sidetable 2, sofa | cellphone desklamp newspaper plate statue wateringcan
219 | armchair, cabinet 4, drawer 5, dresser, garbagecan, safe, shelf 12, sidetable, sofa | cellphone newspaper statue tissuebox vase watch
220 | armchair, coffeetable, diningtable 2, drawer 6, dresser, garbagecan, sidetable, sofa 2, tvstand | candle statue tissuebox
221 | armchair, coffeetable 2, diningtable, drawer, garbagecan, sidetable, sofa | pen plate statue vase
222 | armchair, coffeetable, drawer 7, garbagecan, sidetable 3, sofa 2, tvstand | newspaper statue watch
223 | armchair 3, coffeetable, diningtable 2, garbagecan, sofa, tvstand | candle plate statue vase wateringcan
224 | armchair, cabinet, drawer 19, dresser, garbagecan, sidetable 5, sofa | book cellphone desklamp newspaper statue vase wateringcan
225 | armchair, coffeetable, drawer, garbagecan, shelf 6, sidetable, sofa 2, tvstand | desklamp newspaper statue tissuebox vase watch
226 | armchair, coffeetable, drawer 7, garbagecan, sidetable, sofa | newspaper statue watch
227 | armchair 2, cabinet 8, coffeetable 2, diningtable, drawer 7, garbagecan, shelf 13, sofa | newspaper plate statue vase
228 | coffeetable, diningtable, drawer, garbagecan, sidetable 2, sofa 2 | newspaper plate statue vase watch
229 | armchair, coffeetable, drawer 4, dresser, garbagecan, sidetable 3, sofa | book cellphone pen pencil statue tissuebox wateringcan
230 | armchair 2, coffeetable 2, diningtable, garbagecan, sidetable 2, sofa | candle newspaper plate statue tissuebox watch
`,
  bedroom: `
301 | bed, desk, drawer 7, dresser, garbagecan, shelf 6 | baseballbat basketball bowl box desklamp mug statue tissuebox watch
302 | bed, desk, drawer 2, garbagecan, safe, shelf 3, sidetable 2 | bowl desklamp tennisracket
303 | bed, desk, drawer 3, dresser, garbagecan, shelf 10, sidetable | baseballbat box cloth desklamp mug tennisracket vase
304 | bed 2, desk, drawer, garbagecan, laundryhamper, shelf | basketball bowl box desklamp mug statue
305 | bed, desk, drawer 3, dresser, garbagecan, laundryhamper, shelf | baseballbat basketball bowl box desklamp mug
306 | bed, desk, drawer 5, garbagecan, laundryhamper, shelf, sidetable | desklamp
307 | bed, desk, drawer 3, garbagecan, laundryhamper, shelf 2, sidetable | bowl cloth desklamp remotecontrol tennisracket
308 | bed, desk 2, drawer 3, garbagecan, laundryhamper, safe, shelf 5 | baseballbat basketball bowl desklamp mug
309 | armchair 3, bed, cabinet 2, desk, drawer 3, garbagecan, laundryhamper, safe, sidetable | desklamp mug remotecontrol
310 | bed, cabinet 4, desk, drawer 2, garbagecan, shelf, sidetable | baseballbat basketball box tennisracket
311 | armchair 2, bed, countertop, diningtable, drawer 2, dresser, garbagecan, laundryhamper, sidetable | bowl mug remotecontrol
312 | bed, desk, drawer 2, garbagecan, shelf 8, sidetable | basketball
313 | bed, desk, drawer 6, garbagecan, shelf 2, sidetable | baseballbat box mug tennisracket tissuebox
314 | bed, desk, drawer 5, dresser, garbagecan | basketball box desklamp
315 | bed, coffeetable, diningtable, drawer 13, dresser, garbagecan | baseballbat desklamp mug
316 | bed, desk, drawer, garbagecan, shelf, sidetable | baseballbat bowl box desklamp
317 | bed, drawer 11, dresser, garbagecan, laundryhamper, safe, sidetable | bowl box cloth desklamp
318 | armchair, bed 2, cabinet, desk 2, drawer 10, dresser 2, garbagecan | box desklamp mug tennisracket
319 | bed, drawer 10, dresser, garbagecan, shelf 8 | basketball box desklamp statue
320 | bed, desk 2, garbagecan, shelf 5 | basketball desklamp tennisracket
321 | armchair, bed, diningtable, drawer 2, garbagecan, sidetable 2 | tissuebox
322 | armchair, bed, cabinet 4, drawer 4, dresser, garbagecan, sidetable 2 | baseballbat cloth mug
323 | bed 2, desk, drawer 11, dresser, garbagecan, safe, sidetable 2 | bowl desklamp mug
324 | bed, drawer 10, dresser, garbagecan, shelf 3 | baseballbat desklamp mug tennisracket
325 | bed, cabinet 4, drawer 14, dresser 2, garbagecan, shelf 2, sidetable | vase
326 | bed 2, diningtable, drawer 2, garbagecan, shelf 14, sidetable | baseballbat basketball bowl cloth mug tennisracket watch
327 | bed, desk, drawer 7, dresser, garbagecan, shelf 4 | baseballbat basketball bowl desklamp
328 | bed, desk, drawer 2, garbagecan, shelf, sidetable | desklamp mug tennisracket tissuebox
329 | bed, diningtable, drawer 2, garbagecan, sidetable | baseballbat box mug
330 | armchair, bed, drawer 14, dresser, garbagecan, shelf 2, sidetable 2 | bowl statue vase
`,
  bathroom: `
401 | bathtubbasin, cart, garbagecan, handtowelholder, shelf 4, sinkbasin, toilet, toiletpaperhanger, towelholder | dishsponge
402 | bathtubbasin, cabinet 4, countertop, garbagecan, handtowelholder 2, shelf, sinkbasin 2, toilet, toiletpaperhanger, towelholder 2 | tissuebox
403 | bathtubbasin, cabinet 4, countertop, garbagecan, handtowelholder, shelf, sinkbasin 2, toilet, toiletpaperhanger, towelholder | dishsponge
404 | bathtubbasin, garbagecan, handtowelholder, shelf 3, sinkbasin, toilet, toiletpaperhanger, towelholder | tissuebox
405 | bathtubbasin, cabinet 5, countertop, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder |
406 | bathtubbasin, cabinet 2, countertop, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder |
407 | bathtubbasin, cabinet 4, countertop, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
408 | bathtubbasin, cabinet 4, countertop, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
409 | countertop, drawer 6, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder |
410 | bathtubbasin, countertop, drawer 6, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
411 | bathtubbasin, countertop 2, drawer 4, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder |
412 | cabinet 3, countertop, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
413 | bathtubbasin, cabinet 4, countertop, drawer, dresser, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
414 | bathtubbasin, cabinet 9, countertop 2, drawer, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder | dishsponge
415 | bathtubbasin, countertop, drawer 4, dresser, garbagecan, handtowelholder, shelf, sinkbasin, toilet, toiletpaperhanger, towelholder |
416 | countertop, drawer 2, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
417 | cabinet 4, countertop, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
418 | cabinet 3, countertop, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder |
419 | bathtubbasin, drawer, garbagecan, handtowelholder, sidetable, sinkbasin, toilet, toiletpaperhanger, towelholder | tissuebox
420 | drawer, garbagecan, handtowelholder, sidetable, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
421 | countertop, drawer 7, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder | dishsponge
422 | bathtubbasin, cabinet 5, countertop, drawer, garbagecan, handtowelholder, shelf 2, sinkbasin, toilet, toiletpaperhanger, towelholder | tissuebox
423 | bathtubbasin, countertop 2, drawer 8, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
424 | cabinet 4, countertop, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
425 | cabinet 4, countertop, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder | tissuebox
426 | bathtubbasin, countertop, drawer 7, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder | tissuebox
427 | bathtubbasin, countertop, drawer 8, garbagecan, handtowelholder, sinkbasin, toilet, toiletpaperhanger, towelholder | dishsponge tissuebox
428 | cabinet 4, countertop, garbagecan, handtowelholder, sinkbasin 2, toilet, toiletpaperhanger, towelholder |
429 | bathtubbasin, garbagecan, handtowelholder, shelf 2, sinkbasin, toilet, toiletpaperhanger, towelholder | tissuebox
430 | bathtubbasin, cart, countertop, drawer 4, garbagecan, handtowelholder, shelf, sinkbasin, toilet, toiletpaperhanger, towelholder | dishsponge tissuebox
`,
};

/** Rooms by kind, in ALFWorld's order; it keeps the first six of each kind for evaluation in unseen rooms. */
export const floorPlans: ReadonlyMap<RoomKind, readonly FloorPlan[]> = new Map(
  roomKinds.map((kind) => [
    kind,
    rows[kind]
      .trim()
      .split('\n')
      .map((row) => {
        const [, receptacles = '', things = ''] = row.split('|').map((part) => part.trim());
        return {
          receptacles: receptacles.split(', ').flatMap((entry) => {
            const [name = '', count = '1'] = entry.split(' ');
            return Array.from({ length: Number(count) }, () => name);
          }),
          things: `${common[kind]} ${things}`.trim().split(' '),
        };
      }),
  ]),
);

/** How many rooms of each kind are unseen. */
export const unseenRooms = 6;
