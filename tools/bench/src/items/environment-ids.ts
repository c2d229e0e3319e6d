/** Environments whose steps are measured; code repair has an item of its own, as its programs are never played twice. */
export const environmentIds = [
  'bandit', 'countdown', 'frozen-lake', 'game-2048', 'household', 'math-word-problems', 'mcp', 'retail', 'rubik', 'search-qa',
  'sokoban', 'sql', 'sudoku', 'webshop',
] as const; // prettier-ignore
