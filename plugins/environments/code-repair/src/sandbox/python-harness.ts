/**
 * @file The Python side: reads the job, reads the program, calls its function and writes what comes back as JSON, cut at
 * `limit` characters. It takes what it needs before the program runs. What a program breaks here is only its own result: the
 * harness does not know what a test expects.
 */
export const pythonHarness = String.raw`
def main():
    import sys, posix
    from builtins import (BaseException, bool, chr, compile, dict, eval, exec, float, frozenset, getattr, int, isinstance,
        len, list, min, ord, repr, set, sorted, str, tuple, type, issubclass, range)
    write, leave, modules, flush = posix.write, posix._exit, sys.modules, sys.stdout.flush
    deepest, set_depth = 2000, sys.setrecursionlimit
    sys.setrecursionlimit = lambda limit: set_depth(min(int(limit), deepest))

    parts = []
    while True:
        part = posix.read(0, 65536)
        if not part:
            break
        parts.append(part)
    nonce, source, entry, limit, calls = eval(b''.join(parts).decode(), {'__builtins__': {}})

    class TooLarge(BaseException):
        pass

    def quote(text, room):
        if len(text) > room:
            raise TooLarge()
        out = []
        for letter in text:
            code = ord(letter)
            if 31 < code < 127 and letter != '"' and letter != '\\':
                out.append(letter)
            elif code < 65536:
                out.append('\\u%04x' % code)
            else:
                code -= 65536
                out.append('\\u%04x\\u%04x' % (55296 + (code >> 10), 56320 + (code & 1023)))
        return '"' + ''.join(out) + '"'

    def encode(value):
        out = []
        room = limit

        def put(text):
            nonlocal room
            room -= len(text)
            if room < 0:
                raise TooLarge()
            out.append(text)

        def many(items, depth):
            put('[')
            first = True
            for item in items:
                if not first:
                    put(',')
                first = False
                visit(item, depth + 1)
            put(']')

        def visit(value, depth):
            kind = type(value)
            if depth > 40:
                raise TooLarge()
            if value is None:
                put('null')
            elif kind is bool:
                put('true' if value else 'false')
            elif issubclass(kind, int):
                if int.bit_length(value) > 14000:
                    raise TooLarge()
                text = int.__repr__(value)
                put(text if len(text) < 16 else '{"number":"' + text + '"}')
            elif issubclass(kind, float):
                text = float.__repr__(value)
                put('{"number":"' + text + '"}')
            elif issubclass(kind, str):
                put(quote(str.__str__(value), room))
            elif issubclass(kind, list):
                many(list.__iter__(value), depth)
            elif issubclass(kind, tuple):
                put('{"tuple":')
                many(tuple.__iter__(value), depth)
                put('}')
            elif issubclass(kind, dict):
                put('{"dict":[')
                first = True
                for key, item in dict.items(value):
                    if not first:
                        put(',')
                    first = False
                    many((key, item), depth)
                put(']}')
            elif issubclass(kind, (set, frozenset)):
                put('{"set":')
                many(kind.__iter__(value), depth)
                put('}')
            elif getattr(kind, '__next__', None) is not None:
                many(value, depth)
            else:
                put('{"other":' + quote(kind.__name__, room) + '}')

        visit(value, 0)
        return ''.join(out)

    def describe(error):
        try:
            text = str(error)
        except BaseException:
            text = ''
        try:
            name = type(error).__name__
            return quote((name + ': ' + text if text else name)[:200], 1000)
        except BaseException:
            return '"an error that cannot be shown"'

    def say(kind, index, text):
        data = ('\n' + nonce + ' ' + kind + ' ' + str(index) + ' ' + text + '\n').encode()
        while data:
            data = data[write(0, data):]

    def hand_on():
        # what was printed counts for the call that printed it
        try:
            flush()
        except BaseException:
            pass

    set_depth(1000)
    scope = type(sys)('program').__dict__
    scope['__builtins__'] = modules['builtins']
    try:
        exec(compile(source, 'program', 'exec'), scope)
        function = scope[entry]
    except BaseException as error:
        hand_on()
        say('E', 0, describe(error))
        say('D', 0, '')
        leave(0)
    hand_on()
    say('L', 0, '')
    for index in range(len(calls)):
        try:
            arguments = eval(calls[index], {'__builtins__': {'set': set, 'float': float}})
            answer = ('V', encode(function(*arguments)))
        except TooLarge:
            answer = ('Z', '')
        except BaseException as error:
            answer = ('R', describe(error))
        hand_on()
        say(answer[0], index, answer[1])
    say('D', 0, '')
    leave(0)

main()
`;
