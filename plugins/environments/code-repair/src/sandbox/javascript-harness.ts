/**
 * @file The JavaScript side: a function that takes `print` and the limits and gives the one that calls. It takes what it needs
 * before the program runs, uses no method that a program can replace, and does not know what a test expects.
 */
export const javaScriptHarness = String.raw`
(print, [maxResult, maxPrinted, maxError]) => {
  const { apply } = Reflect, { isArray } = Array, { keys } = Object, { stringify } = JSON;
  const { isSafeInteger, isFinite } = Number, { slice } = String.prototype;
  const cut = (text, length) => apply(slice, text, [0, length]);
  const tooLarge = {};

  let seed = 1;
  Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  delete globalThis.Date;
  delete globalThis.performance;
  const log = (...values) => {
    let line = '';
    for (let place = 0; place < values.length && line.length < maxPrinted; place++)
      line += (place > 0 ? ' ' : '') + cut(typeof values[place] === 'object' ? encode(values[place]) : '' + values[place], maxPrinted);
    print(cut(line, maxPrinted - 1) + '\n');
  };
  globalThis.console = { log, error: log, warn: log, info: log };

  const encode = (value) => {
    let out = '';
    const put = (text) => {
      if (out.length + text.length > maxResult) throw tooLarge;
      out += text;
    };
    const visit = (value, depth) => {
      if (depth > 40) throw tooLarge;
      if (value === null) put('null');
      else if (typeof value === 'boolean') put(value ? 'true' : 'false');
      else if (typeof value === 'number') put(isSafeInteger(value) ? '' + value : '{"number":"' + value + '"}');
      else if (typeof value === 'bigint') put('{"number":"' + value + '"}');
      else if (typeof value === 'string') {
        if (value.length > maxResult) throw tooLarge;
        put(stringify(value));
      } else if (typeof value !== 'object') put('{"other":"' + typeof value + '"}');
      else if (isArray(value)) {
        put('[');
        for (let place = 0; place < value.length; place++) {
          if (place > 0) put(',');
          visit(value[place], depth + 1);
        }
        put(']');
      } else {
        const names = keys(value);
        put('{"dict":[');
        for (let place = 0; place < names.length; place++) {
          if (place > 0) put(',');
          put('[' + stringify(names[place]) + ',');
          visit(value[names[place]], depth + 1);
          put(']');
        }
        put(']}');
      }
    };
    visit(value, 0);
    return out;
  };

  const describe = (error) => {
    try {
      const isError = typeof error === 'object' && error !== null;
      return cut(isError ? error.name + ': ' + error.message : '' + error, maxError);
    } catch {
      return 'an error that cannot be shown';
    }
  };

  // with one value, describes an error; with two, calls a function
  return (...given) => {
    if (given.length === 1) return 'R' + describe(given[0]);
    try {
      return 'V' + encode(apply(given[0], undefined, given[1]));
    } catch (error) {
      return error === tooLarge ? 'Z' : 'R' + describe(error);
    }
  };
}`;
