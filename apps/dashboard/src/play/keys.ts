const arrows: Readonly<Record<string, string>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** The action that a key stands for: arrows for those that are named so, digits for the first nine. */
export function actionOfKey(key: string, actions: readonly string[]): string | undefined {
  const arrow = arrows[key];
  if (arrow !== undefined) return actions.find((name) => name.toLowerCase() === arrow);
  return /^[1-9]$/.test(key) ? actions[Number(key) - 1] : undefined;
}
