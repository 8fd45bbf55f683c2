import type { Kind, Piece } from "./kinds.ts";
import "./highlight.css";

/** One painting of a browser for each kind, shared by all texts; none where the browser has no custom highlights. */
const paints = new Map<Kind, Highlight>();

/** Colours parts of a text node, without another element on the page. Returns the way to take the colours off again. */
export function paint(node: Text, pieces: readonly Piece[]): () => void {
  if (!("highlights" in CSS)) return () => undefined;
  const painted = pieces.map(({ from, to, kind }) => {
    const range = new StaticRange({
      startContainer: node,
      startOffset: from,
      endContainer: node,
      endOffset: to,
    });
    paintOf(kind).add(range);
    return { range, kind };
  });
  return () => {
    for (const { range, kind } of painted) paintOf(kind).delete(range);
  };
}

function paintOf(kind: Kind): Highlight {
  const known = paints.get(kind);
  if (known) return known;
  const made = new Highlight();
  // Under the marks of a search.
  made.priority = -1;
  paints.set(kind, made);
  CSS.highlights.set(`code-${kind}`, made);
  return made;
}
