import { createCell } from "@robota/react/store";

/** The changes that the panel shows. */
export const changesScope = createCell<"turn" | "session">("turn");
