/** The name or tag of a language: short, so that it can hold no instructions of another kind. */
export const LANGUAGE = /^[\p{L}\p{M}][\p{L}\p{M} ()-]{0,39}$/u;
