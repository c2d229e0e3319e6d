/** @file What nobody means to send: texts, numbers and JSON that programs stumble over. */

const times = (count: number, text: string): string => text.repeat(count);

/** Texts by what is wrong with them. */
export const texts: Readonly<Record<string, string>> = {
  'a NUL': 'a\u0000b',
  'control characters': '\u0001\u0007\u0008\u001b[31m\u007f\u009b',
  'a lone high surrogate': 'a\ud800b',
  'a lone low surrogate': '\udc00',
  'no character at all': '\uffff\ufffe\ufdd0',
  'characters that turn the direction': '\u202e\u2066abc\u2069',
  'an emoji of many parts': times(50, '👩‍👩‍👧‍👦'),
  'combining marks': `a${times(2000, '\u0301')}`,
  '60,000 letters': times(60_000, 'x'),
  'words without end': times(20_000, 'a '),
  'food for addresses in logs': times(20_000, 'a'),
  'escaped quotation marks': times(20_000, '\\"'),
  slashes: times(40_000, '/'),
  spaces: `${times(40_000, ' ')}x`,
  newlines: times(30_000, '\n'),
  'a line of a log': 'x\n{"level":60,"msg":"all is well","code":"forged"}\r\nHTTP/1.1 200 OK',
  'a formula': '=HYPERLINK("http://example.com/?"&A1,"click")',
  'a key of prototypes': '__proto__',
  'a constructor': 'constructor.prototype.polluted',
  'a path upwards': '../../../../etc/passwd',
  'a coded path upwards': '..%2f..%2f%2e%2e/etc/passwd',
  'a path with a NUL': 'checkpoints/step-1\u0000/../../x',
  'a path of Windows': '..\\..\\C:\\x:y|z',
  SQL: `'; DROP TABLE runs; --`,
  wildcards: '%_%\\%!%_[a-z]*',
  markup: '<script>alert(1)</script><!-- ${7*7} {{7*7}} -->',
  'a URL with a password': `${times(50, 'postgres://a:b@c/')}`,
  'a number without end': times(5000, '9'),
  'a negative number': '-1',
  'not a number': 'NaN',
  nothing: '',
};

/** Numbers as JSON may write them; several are none for JavaScript. */
export const numbers: readonly string[] = [
  '-0',
  '-1',
  '0',
  '0.5',
  '1.5',
  '1e300',
  '-1e300',
  '1e999',
  '-1e999',
  '1e-400',
  '9007199254740992',
  '9007199254740993',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9223372036854775808',
  '8640000000000001',
];

/** JSON that is valid, and of the wrong form everywhere. */
export const shapes: Readonly<Record<string, string>> = {
  null: 'null',
  'a number': '1e300',
  'a text': '"x"',
  true: 'true',
  'an empty list': '[]',
  'an empty object': '{}',
  'a list of nulls': `[${times(20_000, 'null,')}null]`,
  'a list of lists': `${times(20_000, '[')}${times(20_000, ']')}`,
  'an object nested deep': `${times(20_000, '{"a":')}1${times(20_000, '}')}`,
  'many keys': `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
  'one key many times': `{${times(20_000, '"a":1,')}"a":2}`,
  'a prototype': '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
  'a function that is none': '{"toString":1,"valueOf":2,"then":3,"length":-1,"toJSON":"x"}',
};

/** Takes some of a table, other ones for another `salt`, so that each place is tried with several and all with some. */
export function someOf<T>(table: readonly T[], count: number, salt: number): T[] {
  return Array.from({ length: count }, (_, i) => table[(salt * count + i) % table.length] as T);
}
