import type { Token } from "marked";
import { createMarkdownParser } from "./parse.ts";

/** Characters by which a drawing grows at most, so that none takes long. More have to wait for the next frame. */
const STEP = 8_000;
/** Blocks that are drawn or left alone together. */
const GROUP = 32;

/** The drawn part of a text. */
export interface Drawn {
  /** Its blocks. Lists and blocks that have not changed are the same objects as before. */
  groups: readonly (readonly Token[])[];
  /** False while more of the text waits to be drawn. */
  isWhole: boolean;
}

/** Draws a growing text step by step: the first time all that there is of it, then a bounded part more each time. */
export interface Drawing {
  /** @param final as for `MarkdownParser` */
  next(text: string, final: boolean): Drawn;
}

export function createDrawing(): Drawing {
  const parser = createMarkdownParser();
  let length: number | undefined;
  let groups: readonly (readonly Token[])[] = [];

  return {
    next(text, final) {
      length = length === undefined ? text.length : Math.min(text.length, length + STEP);
      const isWhole = length === text.length;
      groups = grouped(parser.parse(text.slice(0, length), final && isWhole), groups);
      return { groups, isWhole };
    },
  };
}

function grouped(
  blocks: readonly Token[],
  before: readonly (readonly Token[])[],
): readonly (readonly Token[])[] {
  return Array.from({ length: Math.ceil(blocks.length / GROUP) }, (_, at) => {
    const group = blocks.slice(at * GROUP, (at + 1) * GROUP);
    const known = before[at];
    return known?.length === group.length && group.every((block, index) => block === known[index])
      ? known
      : group;
  });
}
