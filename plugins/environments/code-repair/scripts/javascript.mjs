// node scripts/javascript.mjs: writes data/javascript.jsonl. Each function of ours has faults, as pairs of what is replaced by what,
// and lists of arguments; what a test expects is what the function gives.
import { writeFileSync } from 'node:fs';
import { answersOf, close, verdictsOf } from './sandbox.mjs';

const functions = [
  {
    entry: 'runLengths',
    text: 'The runs of equal letters of a text, as [letter, length], from the left.',
    solution: `function runLengths(text) {
  const runs = [];
  for (const letter of text) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last[0] === letter) last[1] += 1;
    else runs.push([letter, 1]);
  }
  return runs;
}`,
    faults: [
      ['last[0] === letter', 'last[0] !== letter'],
      ['runs.push([letter, 1])', 'runs.push([letter, 0])'],
      ['last[1] += 1', 'last[1] = 1'],
    ],
    lists: [['aab'], [''], ['z'], ['abba'], ['ccccd'], ['xyzzy'], ['1112'], ['mississippi']],
  },
  {
    entry: 'rotateLeft',
    text: 'The list with its first `count` items moved to the end; counts above its length go round, negative ones go right.',
    solution: `function rotateLeft(list, count) {
  if (list.length === 0) return [];
  const by = ((count % list.length) + list.length) % list.length;
  return [...list.slice(by), ...list.slice(0, by)];
}`,
    faults: [
      ['((count % list.length) + list.length) % list.length', 'Math.abs(count) % list.length'],
      ['list.slice(0, by)', 'list.slice(1, by)'],
      ['...list.slice(by), ...list.slice(0, by)', '...list.slice(0, by), ...list.slice(by)'],
    ],
    lists: [
      [[1, 2, 3], 1],
      [[1, 2, 3], -1],
      [[], 4],
      [[1, 2, 3, 4], 6],
      [[7], 3],
      [[1, 2, 3, 4, 5], -7],
      [['a', 'b'], 2],
      [[5, 6, 7, 8], 2],
    ],
  },
  {
    entry: 'mergeRanges',
    text: 'Ranges [from, to] merged where they touch or overlap, in order.',
    solution: `function mergeRanges(ranges) {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [from, to] of sorted) {
    const last = merged[merged.length - 1];
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}`,
    faults: [
      ['a[0] - b[0]', 'b[0] - a[0]'],
      ['from <= last[1]', 'from < last[1]'],
      ['Math.max(last[1], to)', 'to'],
    ],
    lists: [
      [
        [
          [1, 3],
          [2, 5],
        ],
      ],
      [[]],
      [
        [
          [4, 6],
          [1, 2],
        ],
      ],
      [
        [
          [1, 9],
          [2, 3],
        ],
      ],
      [
        [
          [1, 2],
          [2, 3],
          [5, 6],
        ],
      ],
      [
        [
          [8, 10],
          [1, 4],
          [3, 7],
        ],
      ],
      [[[0, 0]]],
      [
        [
          [5, 6],
          [1, 10],
          [12, 14],
          [13, 20],
        ],
      ],
    ],
  },
  {
    entry: 'toRoman',
    text: 'A number from 1 to 3999 in Roman numerals.',
    solution: `function toRoman(number) {
  const values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
  const signs = ['M', 'CM', 'D', 'CD', 'C', 'XC', 'L', 'XL', 'X', 'IX', 'V', 'IV', 'I'];
  let rest = number;
  let text = '';
  for (let place = 0; place < values.length; place++) {
    while (rest >= values[place]) {
      text += signs[place];
      rest -= values[place];
    }
  }
  return text;
}`,
    faults: [
      ['rest >= values[place]', 'rest > values[place]'],
      ["'XC', 'L', 'XL'", "'XC', 'L', 'LX'"],
      ['place < values.length', 'place < values.length - 1'],
    ],
    lists: [[1], [4], [9], [14], [44], [90], [400], [1994], [3999], [58]],
  },
  {
    entry: 'parseQuery',
    text: 'The object that a query such as `a=1&b=2` stands for; a name without `=` has the value "", the last of equal names counts, and plus signs are spaces.',
    solution: `function parseQuery(query) {
  const found = {};
  for (const part of query.split('&')) {
    if (part === '') continue;
    const place = part.indexOf('=');
    const name = place < 0 ? part : part.slice(0, place);
    const value = place < 0 ? '' : part.slice(place + 1);
    found[name] = value.split('+').join(' ');
  }
  return found;
}`,
    faults: [
      ['part.slice(place + 1)', 'part.slice(place)'],
      ["if (part === '') continue;", ''],
      ["value.split('+').join(' ')", 'value'],
    ],
    lists: [
      ['a=1&b=2'],
      [''],
      ['flag'],
      ['a=1&a=2'],
      ['q=red+shoes&size='],
      ['&&x=y&'],
      ['k=a=b'],
      ['one&two=2+3'],
    ],
  },
  {
    entry: 'transpose',
    text: 'Rows and columns of a table exchanged; all rows are equally long.',
    solution: `function transpose(rows) {
  if (rows.length === 0) return [];
  const columns = [];
  for (let column = 0; column < rows[0].length; column++) {
    columns.push(rows.map((row) => row[column]));
  }
  return columns;
}`,
    faults: [
      ['column < rows[0].length', 'column < rows.length'],
      ['row[column]', 'row[0]'],
      ['if (rows.length === 0) return [];', ''],
    ],
    lists: [
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
      [[[1, 2, 3]]],
      [[]],
      [[[1], [2], [3]]],
      [
        [
          ['a', 'b', 'c'],
          ['d', 'e', 'f'],
        ],
      ],
      [[[5]]],
    ],
  },
  {
    entry: 'countChange',
    text: 'In how many ways coins (of any number each) make an amount.',
    solution: `function countChange(amount, coins) {
  const ways = new Array(amount + 1).fill(0);
  ways[0] = 1;
  for (const coin of coins) {
    for (let sum = coin; sum <= amount; sum++) {
      ways[sum] += ways[sum - coin];
    }
  }
  return ways[amount];
}`,
    faults: [
      ['ways[0] = 1;', 'ways[0] = 0;'],
      ['sum <= amount', 'sum < amount'],
      ['ways[sum] += ways[sum - coin]', 'ways[sum] = ways[sum - coin]'],
    ],
    lists: [
      [5, [1, 2]],
      [0, [1]],
      [3, [2]],
      [10, [1, 5, 10]],
      [100, [1, 5, 10, 25, 50]],
      [7, [7]],
      [12, [3, 4]],
      [1, []],
    ],
  },
  {
    entry: 'balanced',
    text: 'Whether the brackets (), [] and {} of a text are closed in the right order; other letters do not matter.',
    solution: `function balanced(text) {
  const closing = { '(': ')', '[': ']', '{': '}' };
  const expected = [];
  for (const letter of text) {
    if (closing[letter] !== undefined) expected.push(closing[letter]);
    else if (')]}'.includes(letter) && expected.pop() !== letter) return false;
  }
  return expected.length === 0;
}`,
    faults: [
      ['return expected.length === 0', 'return true'],
      ['expected.pop() !== letter', 'expected.shift() !== letter'],
      ["')]}'.includes", "')]'.includes"],
    ],
    lists: [
      ['(a)'],
      ['(]'],
      [''],
      ['([{}])'],
      ['(('],
      ['}'],
      ['[()]{x}'],
      ['([)]'],
      ['{[}'],
      ['(()())'],
      ['a+b)'],
      ['{{}'],
    ],
  },
  {
    entry: 'wordCounts',
    text: 'How often each word (letters a to z, in any case) occurs, by the word in lower case.',
    solution: `function wordCounts(text) {
  const counts = {};
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}`,
    faults: [
      ['.toLowerCase()', ''],
      ['(counts[word] ?? 0) + 1', '1'],
      ['/[a-z]+/g', '/[a-z]/g'],
      [' ?? []', ''],
    ],
    lists: [['The cat. The dog!'], [''], ['a A a'], ['one-two one'], ['x1y2x'], ['No no NO yes'], ['...']],
  },
  {
    entry: 'binarySearch',
    text: 'The place of an item in an ascending list, or -1.',
    solution: `function binarySearch(list, item) {
  let low = 0;
  let high = list.length - 1;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    if (list[middle] === item) return middle;
    if (list[middle] < item) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}`,
    faults: [
      ['low <= high', 'low < high'],
      ['low = middle + 1', 'low = middle'],
      ['list[middle] < item', 'list[middle] > item'],
    ],
    lists: [
      [[1, 3, 5], 3],
      [[1, 3, 5], 5],
      [[], 1],
      [[2], 2],
      [[2, 4, 6, 8], 7],
      [[1, 2, 3, 4, 5, 6], 6],
      [[10, 20, 30], 10],
      [[0, 9, 18, 27], 27],
    ],
  },
  {
    entry: 'spiral',
    text: 'The items of a table in a spiral from the upper left corner, clockwise.',
    solution: `function spiral(rows) {
  const items = [];
  let rest = rows;
  while (rest.length > 0) {
    const [first, ...others] = rest;
    items.push(...first);
    const width = others.length === 0 ? 0 : others[0].length;
    rest = [];
    for (let column = width - 1; column >= 0; column--) {
      rest.push(others.map((row) => row[column]));
    }
  }
  return items;
}`,
    faults: [
      ['let column = width - 1; column >= 0; column--', 'let column = 0; column < width; column++'],
      ['column >= 0', 'column > 0'],
      ['items.push(...first)', 'items.push(first[0])'],
    ],
    lists: [
      [
        [
          [1, 2],
          [4, 3],
        ],
      ],
      [[[1, 2, 3]]],
      [
        [
          [1, 2, 3],
          [8, 9, 4],
          [7, 6, 5],
        ],
      ],
      [[]],
      [[[1], [2], [3]]],
      [
        [
          [1, 2, 3, 4],
          [10, 11, 12, 5],
          [9, 8, 7, 6],
        ],
      ],
    ],
  },
  {
    entry: 'compareVersions',
    text: '-1, 0 or 1 as the first version (numbers between points) is older, equal or newer; missing numbers are 0.',
    solution: `function compareVersions(first, second) {
  const left = first.split('.').map(Number);
  const right = second.split('.').map(Number);
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}`,
    faults: [
      ['Math.max(left.length, right.length)', 'Math.min(left.length, right.length)'],
      ['(left[place] ?? 0) - (right[place] ?? 0)', 'left[place] - right[place]'],
      ['return Math.sign(difference)', 'return difference'],
    ],
    lists: [
      ['1.2', '1.10'],
      ['2.0', '2'],
      ['1.0.1', '1'],
      ['3', '3.0.0.4'],
      ['10', '9'],
      ['0.9', '1.0'],
      ['1.2.3', '1.2.3'],
      ['4.5', '4.1'],
    ],
  },
  {
    entry: 'primeFactors',
    text: 'The prime factors of a whole number above 1, ascending, each as often as it divides.',
    solution: `function primeFactors(number) {
  const factors = [];
  let rest = number;
  for (let factor = 2; factor * factor <= rest; factor++) {
    while (rest % factor === 0) {
      factors.push(factor);
      rest /= factor;
    }
  }
  if (rest > 1) factors.push(rest);
  return factors;
}`,
    faults: [
      ['factor * factor <= rest', 'factor * factor < rest'],
      ['if (rest > 1) factors.push(rest);', ''],
      ['while (rest % factor === 0) {', 'if (rest % factor === 0) {'],
    ],
    lists: [[2], [12], [49], [97], [360], [1024], [77], [121]],
  },
  {
    entry: 'groupBy',
    text: 'Lists of objects by the value of one of their fields.',
    solution: `function groupBy(items, field) {
  const groups = {};
  for (const item of items) {
    const key = String(item[field]);
    if (groups[key] === undefined) groups[key] = [];
    groups[key].push(item);
  }
  return groups;
}`,
    faults: [
      ['if (groups[key] === undefined) groups[key] = [];', 'groups[key] = [];'],
      ['item[field]', 'item.field'],
      ['groups[key].push(item)', 'groups[key].push(item[field])'],
    ],
    lists: [
      [
        [
          {
            dict: [
              ['a', 1],
              ['b', 2],
            ],
          },
          {
            dict: [
              ['a', 1],
              ['b', 3],
            ],
          },
        ],
        'a',
      ],
      [[], 'x'],
      [[{ dict: [['k', 'p']] }, { dict: [['k', 'q']] }, { dict: [['k', 'p']] }], 'k'],
      [[{ dict: [['n', 5]] }], 'm'],
      [[{ dict: [['t', true]] }, { dict: [['t', false]] }], 't'],
    ],
  },
  {
    entry: 'caesar',
    text: 'A text with its letters a to z and A to Z moved on by a number of places in the alphabet, round its end.',
    solution: `function caesar(text, shift) {
  return [...text]
    .map((letter) => {
      const base = letter >= 'a' && letter <= 'z' ? 97 : letter >= 'A' && letter <= 'Z' ? 65 : -1;
      if (base < 0) return letter;
      const place = (letter.charCodeAt(0) - base + shift) % 26;
      return String.fromCharCode(base + (place + 26) % 26);
    })
    .join('');
}`,
    faults: [
      ['(place + 26) % 26', 'place'],
      ["letter <= 'Z' ? 65", "letter <= 'Z' ? 97"],
      ['% 26;', '% 25;'],
      ["letter <= 'z'", "letter < 'z'"],
    ],
    lists: [
      ['abc', 1],
      ['xyz', 3],
      ['Hello, World!', 13],
      ['bcd', -1],
      ['abc', -3],
      ['', 5],
      ['Zz', 27],
      ['Azaz', 26],
    ],
  },
  {
    entry: 'pathBetween',
    text: 'The fewest steps from one node to another in a graph (neighbours by name), or -1.',
    solution: `function pathBetween(graph, from, to) {
  const distance = { [from]: 0 };
  const queue = [from];
  while (queue.length > 0) {
    const node = queue.shift();
    if (node === to) return distance[node];
    for (const next of graph[node] ?? []) {
      if (distance[next] !== undefined) continue;
      distance[next] = distance[node] + 1;
      queue.push(next);
    }
  }
  return -1;
}`,
    faults: [
      ['queue.shift()', 'queue.pop()'],
      ['distance[node] + 1', 'distance[node]'],
      ['return -1', 'return 0'],
      ['if (distance[next] !== undefined) continue;', ''],
    ],
    lists: [
      [
        {
          dict: [
            ['a', ['b']],
            ['b', ['c']],
          ],
        },
        'a',
        'c',
      ],
      [{ dict: [['a', ['b']]] }, 'b', 'a'],
      [{ dict: [] }, 'x', 'x'],
      [
        {
          dict: [
            ['a', ['d', 'b']],
            ['b', ['c']],
            ['c', ['e']],
            ['d', ['e']],
            ['e', ['a']],
          ],
        },
        'a',
        'e',
      ],
      [
        {
          dict: [
            ['a', ['b', 'c']],
            ['b', ['a', 'd']],
            ['c', ['d']],
            ['d', ['b']],
          ],
        },
        'a',
        'd',
      ],
      [
        {
          dict: [
            ['p', ['q', 's']],
            ['q', ['r']],
            ['r', ['t']],
            ['s', ['p']],
          ],
        },
        'p',
        't',
      ],
      [
        {
          dict: [
            ['m', ['n']],
            ['n', ['m']],
          ],
        },
        'm',
        'z',
      ],
    ],
  },
];

const lines = [];
for (const { entry, text, solution, faults, lists } of functions) {
  const task = { name: `javascript/${entry}`, language: 'javascript', entry, text };
  const answers = await answersOf(task, solution, lists);
  const tests = lists.map((args, place) => ({ args, expected: answers[place] }));
  for (const [number, [right, wrong]] of faults.entries()) {
    const broken = solution.replace(right, () => wrong);
    const one = { ...task, name: `${task.name}/${number + 1}`, broken, solution, tests };
    const verdicts = await verdictsOf(one, broken);
    if (broken === solution || verdicts.every((verdict) => verdict === 'passed'))
      throw new Error(`${one.name}: no test finds its fault`);
    console.log(one.name, verdicts.join(' '));
    lines.push(JSON.stringify(one));
  }
}
await close();
writeFileSync(new URL('../data/javascript.jsonl', import.meta.url), `${lines.join('\n')}\n`);
