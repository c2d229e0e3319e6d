/**
 * @file A bitmap font of five by eight pixels for the 95 printable characters of ASCII, drawn for this project. A letter is
 * eight digits to the base 32, one for each row from the top; the highest of its five bits is the leftmost pixel.
 */

export const glyphWidth = 5;
export const glyphHeight = 8;

const rows = [
  '00000000 44444040 aa000000 aavavaa0 4fke5u40 op248j30 cik8lid0 44000000', //   ! " # $ % & '
  '24888420 84222480 04lel400 044v4400 00000c48 000v0000 00000cc0 11248gg0', // ( ) * + , - . /
  'ehjlphe0 4c4444e0 eh1248v0 v2421he0 26aiv220 vgu11he0 68guhhe0 v1248880', // 0 1 2 3 4 5 6 7
  'ehhehhe0 ehhf12c0 0cc0cc00 0cc0c480 248g8420 00v0v000 84212480 eh124040', // 8 9 : ; < = > ?
  'ehnlnge0 ehhvhhh0 uhhuhhu0 ehggghe0 sihhhis0 vgguggv0 vgguggg0 ehgnhhf0', // @ A B C D E F G
  'hhhvhhh0 e44444e0 72222ic0 hikokih0 ggggggv0 hrllhhh0 hhpljhh0 ehhhhhe0', // H I J K L M N O
  'uhhuggg0 ehhhlid0 uhhukih0 fgge11u0 v4444440 hhhhhhe0 hhhhha40 hhhllla0', // P Q R S T U V W
  'hha4ahh0 hhha4440 v1248gv0 e88888e0 gg842110 e22222e0 4ah00000 0000000v', // X Y Z [ \ ] ^ _
  '84000000 00e1fhf0 ggmphhu0 00egghe0 11djhhf0 00ehvge0 698s8880 00fhhf1e', // ` a b c d e f g
  'ggmphhh0 40c444e0 206222ic ggikoki0 c44444e0 00qllhh0 00mphhh0 00ehhhe0', // h i j k l m n o
  '00uhhugg 00fhhf11 00mpggg0 00fge1u0 88s88960 00hhhjd0 00hhha40 00hhlla0', // p q r s t u v w
  '00ha4ah0 00hhhf1e 00v248v0 24484420 44444440 84424480 008l2000', // x y z { | } ~
]
  .join(' ')
  .split(' ');

/** What stands for every other character. */
const unknown = 'vhhhhhv0';

const spelled: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '−': '-',
  '×': 'x',
  '•': '*',
  '›': '>',
  '‹': '<',
  '…': '...',
};

/** Spells a text in the characters of the font: without accents, one unit for each of them. */
export function spell(text: string): string {
  return text
    .replace(/[‘’“”–—−×•›‹…]/g, (character) => spelled[character] ?? character)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/gu, '\u0001');
}

/** Calls `paint` for each pixel of a character of {@link spell}. */
export function eachPixel(character: string, paint: (x: number, y: number) => void): void {
  const digits = rows[character.charCodeAt(0) - 0x20] ?? unknown;
  for (let y = 0; y < glyphHeight; y++) {
    const bits = Number.parseInt(digits.charAt(y), 32);
    for (let x = 0; x < glyphWidth; x++) if ((bits & (1 << (glyphWidth - 1 - x))) !== 0) paint(x, y);
  }
}
