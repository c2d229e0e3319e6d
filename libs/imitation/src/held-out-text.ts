/**
 * @file A small neutral English text, written for this package, that no training sees: what a model predicts of it tells
 * whether it still knows how to speak. Changing a word changes every reported perplexity.
 */
export const heldOutText = `The ferry leaves the harbour at seven in the morning, before the fog has lifted. Most of the passengers are fishermen on their way to the outer islands, and a few are children who go to school on the mainland during the week. They sit close to the engine, where it is warm, and talk about the weather.

When the old lighthouse came into view, Anna closed her book. She had made this journey every spring for nine years, and still she looked for the white tower among the rocks as if it might have disappeared over the winter. Her grandfather had kept the light until it was made automatic. He used to say that a lamp that nobody watches is only half a lamp.

Salt water freezes at a lower temperature than fresh water, because the dissolved salt gets in the way of the crystals that ice is made of. That is why roads are salted before a cold night, and why the harbour stays open when the lakes behind the town are already covered with ice. In a very hard winter the bay freezes too, and then the ferry has to wait.

To make bread for four people, mix half a kilogram of flour with a spoon of salt and a little yeast. Add warm water, and knead the dough until it no longer sticks to your hands. Leave it under a cloth for an hour. Then shape it into two loaves and bake them in a hot oven until the crust is brown and the bottom sounds hollow when you knock on it.

The town council met on Tuesday to discuss the new bridge. Two members asked how much it would cost to repair the old one instead. The engineer answered that the foundations were sound, but that the steel had to be replaced within ten years. No decision was made, and the meeting ended shortly before ten o'clock.
`;
