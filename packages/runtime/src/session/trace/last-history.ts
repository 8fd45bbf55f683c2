import type { Storage } from "../../ports/storage.ts";
import { parseLine } from "./lines.ts";

/** Number of lines in the first read, from the end; doubled with each further one. */
const FIRST_LOOK = 256;

/** The `sequence` of the last change of the conversation in a log, found from its end. */
export async function lastHistorySequence(
  storage: Storage,
  name: string,
): Promise<number | undefined> {
  let end = await storage.append(name, []);
  for (let count = FIRST_LOOK; end > 0; count *= 2) {
    const from = Math.max(1, end - count + 1);
    let found: number | undefined;
    for await (const { seq, value } of storage.read(name, from)) {
      if (seq > end) break;
      const { entry } = parseLine(value);
      const sequence = entry?.event === "history_mutation" ? entry.data["sequence"] : undefined;
      if (typeof sequence === "number") found = sequence;
    }
    if (found !== undefined) return found;
    end = from - 1;
  }
  return undefined;
}
