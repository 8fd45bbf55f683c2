const NAME = "search";
/** Frames that a part may take to appear: its turn is drawn first, then its card opens. */
const FRAMES = 60;
/** Places that are coloured in one part. */
const MAX_PLACES = 500;

/** Shows a part of the conversation as soon as it is drawn, with every place of the text coloured. Returns the way to stop. */
export function showPart(itemId: string, text: string): () => void {
  let frame = 0;
  let left = FRAMES;
  const look = (): void => {
    const part = document.querySelector(`[data-item="${CSS.escape(itemId)}"]`);
    const places = part ? placesIn(part, text.toLowerCase()) : [];
    left -= 1;
    if (places.length === 0 && left > 0) {
      frame = requestAnimationFrame(look);
      return;
    }
    const start = places[0]?.startContainer.parentElement ?? part;
    start?.scrollIntoView({ block: "center" });
    colour(places);
  };
  frame = requestAnimationFrame(look);
  return () => {
    cancelAnimationFrame(frame);
    colour([]);
  };
}

function placesIn(part: Element, wanted: string): Range[] {
  const places: Range[] = [];
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      if (places.length === MAX_PLACES) return places;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      places.push(range);
    }
  }
  return places;
}

/** Browsers without custom highlights scroll to the part all the same. */
function colour(places: readonly Range[]): void {
  if (!("highlights" in CSS)) return;
  if (places.length === 0) CSS.highlights.delete(NAME);
  else CSS.highlights.set(NAME, new Highlight(...places));
}
