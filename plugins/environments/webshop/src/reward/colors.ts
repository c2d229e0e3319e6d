/**
 * @file WebShop's reduction of colours: the first name of its list that occurs in a text takes the text's place. The list
 * is alphabetical, so that `dark blue` becomes `blue`, and letters inside words count: `rectangular` becomes `tan`. Names
 * from WebShop (MIT, Copyright (c) 2023 Princeton Natural Language Processing).
 */
const colors =
  'alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral cranberry cream crystal dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey heather indigo ivory ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor mushroom mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand sapphire seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat white wine yellow'.split(
    ' ',
  );

/** Reduces a value to a colour where it has one. */
export function reduceColor(value: string): string {
  return colors.find((color) => value.includes(color)) ?? value;
}

/** Whether a text is exactly the name of a colour. */
export function isColor(value: string): boolean {
  return colors.includes(value);
}
