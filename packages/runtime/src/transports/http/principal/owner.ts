/** The identity of a caller: the owner of their sessions. Letters, digits, `_` and `-`, at most 64. */
export type Owner = string;
