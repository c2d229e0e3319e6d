/**
 * @file The user, by rules: it knows the sentences of its task and tells one of them in a reply, the one that was asked for.
 * tau-bench's user is a language model.
 */

/** Words that every question has, and those of every order. */
const common: ReadonlySet<string> = new Set(
  `a about all also an and any anything are as at be been but by can could did do does for from had has have help how i if in
  is it its just like may me my need no not of on one or our out please should so some than thank that the their them then
  there these they this to us want was we were what when which who will with would yes you your order orders item items tell`
    .split(/\s+/)
    .map(stem),
);

const askingWho = /\b(?:names?|e-?mail|zip|who are you|identity|identify|verify|authenticate)\b/i;
const asking = /\?|\b(?:else|help|tell|provide|describe|explain|anything)\b/i;
const confirming = /\b(?:confirm|proceed|go ahead|agree|correct|okay|ok)\b/i;

/** Splits an instruction into sentences in the first person, without those that only say how the user feels. */
export function readInstruction(text: string): string[] {
  return text
    .split(/(?<=[.!?;])\s+(?=[A-Z'"#])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && !isMood(sentence))
    .map(toFirstPerson);
}

/** `You are polite, shy and in debt today.`: no names, numbers or wishes. */
function isMood(sentence: string): boolean {
  return /^You(?: are|'re) (?:an? )?[a-z]+(?:, [a-z]+)*\.?$/.test(sentence);
}

const persons: readonly (readonly [RegExp, string])[] = [
  [/\bYou name\b/g, 'My name'],
  [/\byou are\b/gi, 'I am'],
  [/\byou're\b/gi, "I'm"],
  [/\byou were\b/gi, 'I was'],
  [/\byourself\b/gi, 'myself'],
  [/\byours\b/gi, 'mine'],
  [/\bYour\b/g, 'My'],
  [/\byour\b/g, 'my'],
  [/\byou\b/gi, 'I'],
];

function toFirstPerson(sentence: string): string {
  return persons.reduce((text, [pattern, word]) => text.replace(pattern, word), sentence);
}

/** The first letters, so that `exchanges` and `exchanged` are one word. */
function stem(word: string): string {
  return word.slice(0, 5);
}

function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9#]+/g) ?? [];
  return new Set(words.map(stem).filter((word) => !common.has(word)));
}

/** Characters of a message that the user listens to. */
const maxHeard = 2000;

/** What the user answers, and the number of the sentence that it tells. */
export function answerMessage(
  message: string,
  sentences: readonly string[],
  told: readonly number[],
): { readonly text: string; readonly tells?: number } {
  const heard = message.slice(0, maxHeard);
  if (sentences.length > 0 && askingWho.test(heard)) return { text: sentences[0]!, tells: 0 };
  const open = sentences.map((_sentence, number) => number).filter((number) => !told.includes(number));
  const asked = stemsOf(heard);
  const overlap = (number: number): number =>
    [...stemsOf(sentences[number]!)].filter((word) => asked.has(word)).length;
  const [best] = open
    .map((number) => ({ number, common: overlap(number) }))
    .sort((one, other) => other.common - one.common || one.number - other.number);
  const yes = confirming.test(heard) ? 'Yes. ' : '';
  if (best !== undefined && best.common > 0)
    return { text: yes + sentences[best.number]!, tells: best.number };
  if (yes !== '') return { text: 'Yes.' };
  if (!asking.test(heard)) return { text: 'All right.' };
  const [next] = open;
  if (next !== undefined) return { text: sentences[next]!, tells: next };
  return { text: 'That is all.' };
}
