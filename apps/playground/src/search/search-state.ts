import { createCell } from "@robota/react/store";

/** True while the conversation is searched. */
export const isSearching = createCell(false);

/** A part of the conversation that a search leads to. */
export interface Hit {
  /** The turn or the mark between turns. */
  entryId: string;
  /** The part of it: a text or a call; the same id for a turn's message. */
  itemId: string;
}

/** The part that is to be shown: what hides it opens. Another object each time. */
export const revealed = createCell<Hit | undefined>(undefined);
