/** Note for people about a link that holds a session. */
export const LINK_NOTE = "It holds the whole session: whoever has it can read it.";
