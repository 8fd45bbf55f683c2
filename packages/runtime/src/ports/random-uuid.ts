/**
 * A version 4 UUID as a flat string. Node's is a rope of its pieces, which takes nine times the memory for as long as
 * it lives; its lower-case copy has the same text and is flat.
 */
export function randomUUID(): string {
  return crypto.randomUUID().toLowerCase();
}
