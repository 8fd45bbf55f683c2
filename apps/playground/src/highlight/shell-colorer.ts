import type { Colorer, Kind, Piece } from "./kinds.ts";

/** Comments, quoted texts, variables, keywords and options of command lines; the first that matches counts. */
const WORD =
  /(?<comment>(?<=^|\s)#.*)|(?<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?<number>\$(?:\w+|\{[^}]*\}|[?!#@*$]))|(?<keyword>(?<=^|[\s;|&(])(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|function|export|local|return)(?=$|[\s;]))|(?<name>(?<=\s)--?[\w-]+)/gm;

/** Words between two steps. */
const STEP = 200;

/** Colours command lines by their words. */
export const shellColorer: Colorer = function* color(text) {
  const pieces: Piece[] = [];
  let words = 0;
  for (const { index, 0: word, groups = {} } of text.matchAll(WORD)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) as Kind;
    pieces.push({ from: index, to: index + word.length, kind });
    words += 1;
    if (words % STEP === 0) yield;
  }
  return pieces;
};
