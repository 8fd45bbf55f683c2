/** Ranges of the classes that have names: of the Perl ones the letter behind the backslash, of POSIX the name. */
const CLASSES: Readonly<Record<string, string>> = {
  d: "09",
  s: "\t\n\f\r  ",
  w: "09AZ__az",
  alnum: "09AZaz",
  alpha: "AZaz",
  ascii: "\0\x7f",
  blank: "\t\t  ",
  cntrl: "\0\x1f\x7f\x7f",
  digit: "09",
  graph: "!~",
  lower: "az",
  print: " ~",
  punct: "!/:@[`{~",
  space: "\t\r  ",
  upper: "AZ",
  word: "09AZ__az",
  xdigit: "09AFaf",
};

/** Ranges of a class; `undefined` for an unknown name. */
export function classRanges(name: string): readonly number[] | undefined {
  if (!Object.hasOwn(CLASSES, name)) return undefined;
  return Array.from(CLASSES[name] ?? "", (character) => character.charCodeAt(0));
}

/** Names of properties that the host writes differently. */
const PROPERTIES: Readonly<Record<string, string>> = {
  Ascii: "ASCII",
  Lc: "LC",
};

/** The host's name of a category, script or other property of Unicode; `undefined` for an unknown one. */
export function propertyName(name: string): string | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  const own = Object.hasOwn(PROPERTIES, name) ? PROPERTIES[name] : undefined;
  return [own ?? name, `Script=${name}`].find(isKnown);
}

function isKnown(property: string): boolean {
  try {
    return new RegExp(`\\p{${property}}`, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
