import type { Parser } from "@lezer/common";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import type { Colorer, Kind, Piece } from "./kinds.ts";

const kinds = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "keyword" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: "string" },
  { tag: [tags.comment, tags.meta], class: "comment" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: "number" },
  {
    tag: [tags.tagName, tags.heading, tags.definition(tags.variableName), tags.propertyName],
    class: "name",
  },
] satisfies { tag: unknown; class: Kind }[]);

/** Colours by the syntax tree of a language. */
export function treeColorer(parser: Parser): Colorer {
  return function* color(text) {
    const parse = parser.startParse(text);
    let tree = parse.advance();
    while (!tree) {
      yield;
      tree = parse.advance();
    }
    const pieces: Piece[] = [];
    // A mark in a heading has both kinds: its own is the last.
    highlightTree(tree, kinds, (from, to, names) =>
      pieces.push({ from, to, kind: names.split(" ").at(-1) as Kind }),
    );
    return pieces;
  };
}
