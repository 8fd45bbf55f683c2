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
    highlightTree(tree, kinds, (from, to, kind) => pieces.push({ from, to, kind: kind as Kind }));
    return pieces;
  };
}
