import type { SentBody } from "./wire/wire-fetch.ts";

/*
 * The prompt cache of the Messages API, by its documented rules: a request may mark four blocks; the prefix up to each
 * mark is kept; a later request reads the longest kept prefix that ends at one of its marks or at most twenty blocks
 * before it. Prefixes shorter than a minimum are not kept.
 */

const MAX_MARKS = 4;
const LOOK_BACK = 20;
const SHORTEST_TOKENS = 1_024;
const CHARACTERS_PER_TOKEN = 4;

export interface CacheUse {
  input: number;
  cacheRead: number;
  cacheWrite: number;
}

interface Block {
  json: string;
  isMarked: boolean;
}

/** Cache reads and writes per request, starting from an empty cache. */
export function prefixCache(): (body: SentBody) => CacheUse {
  const kept = new Set<string>();
  return (body) => {
    const blocks = blocksOf(body);
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marks.length > MAX_MARKS) throw new Error(`${marks.length} blocks are marked`);
    const ends: number[] = [];
    let characters = 0;
    const prefixes: string[] = [];
    let prefix = "";
    for (const { json } of blocks) {
      characters += json.length;
      prefix += `${json}\n`;
      ends.push(Math.ceil(characters / CHARACTERS_PER_TOKEN));
      prefixes.push(prefix);
    }
    const total = ends.at(-1) ?? 0;
    const cacheRead = Math.max(0, ...marks.map((mark) => found(mark)));
    const lastMark = marks.at(-1);
    const marked = lastMark === undefined ? 0 : (ends[lastMark] ?? 0);
    const isLongEnough = marked >= SHORTEST_TOKENS;
    for (const mark of marks) {
      if ((ends[mark] ?? 0) >= SHORTEST_TOKENS) kept.add(prefixes[mark] ?? "");
    }
    const cacheWrite = isLongEnough ? marked - cacheRead : 0;
    return { input: total - cacheRead - cacheWrite, cacheRead, cacheWrite };

    function found(mark: number): number {
      for (let index = mark; index >= 0 && index >= mark - LOOK_BACK; index -= 1) {
        if (kept.has(prefixes[index] ?? "")) return ends[index] ?? 0;
      }
      return 0;
    }
  };
}

/** Blocks in the order in which the service reads them: tools, system, messages. */
function blocksOf(body: SentBody): Block[] {
  const messages = (body["messages"] ?? []) as { role: string; content: object[] }[];
  return [
    ...((body["tools"] ?? []) as object[]).map((block) => blockOf("tool", block)),
    ...((body["system"] ?? []) as object[]).map((block) => blockOf("system", block)),
    ...messages.flatMap(({ role, content }) => content.map((block) => blockOf(role, block))),
  ];
}

function blockOf(place: string, block: object): Block {
  const { cache_control, ...rest } = block as { cache_control?: unknown };
  return { json: place + JSON.stringify(rest), isMarked: cache_control !== undefined };
}
