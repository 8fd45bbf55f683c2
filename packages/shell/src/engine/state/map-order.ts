import { encodeShellText } from "../text/bytes.ts";

const BUCKETS = 1_024;
const GROWTH = 4;
const OFFSET = 2_166_136_261;
const PRIME = 16_777_619;

/**
 * The entries of an associative array in the order that bash lists them: by the buckets of its hash table, the newest
 * first in each. Scripts should not depend on it, but their recorded output does.
 */
export function entriesInOrder(map: ReadonlyMap<string, string>): [string, string][] {
  let buckets = BUCKETS;
  while (map.size > buckets * 2) buckets *= GROWTH;
  return Array.from(map)
    .map((entry, at) => ({ entry, at, bucket: hashOf(entry[0]) & (buckets - 1) }))
    .sort((one, other) => one.bucket - other.bucket || other.at - one.at)
    .map(({ entry }) => entry);
}

/** FNV-1 in 32 bits, over signed bytes. */
function hashOf(key: string): number {
  let hash = OFFSET;
  for (const byte of encodeShellText(key))
    hash = Math.imul(hash, PRIME) ^ (byte < 128 ? byte : byte - 256);
  return hash;
}
