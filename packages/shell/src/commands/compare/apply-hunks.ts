import type { ShellCommandContext } from "../../command.ts";
import type { Hunk } from "./patch-format.ts";

/** Maximum lines of context that a hunk may drop at either end to fit. */
const MAX_FUZZ = 2;
/** Lines that are compared or copied in the time of one step. */
const LINES_PER_STEP = 64;

type Pace = ShellCommandContext["pace"];

export interface Applied {
  text: string;
  /** Messages about hunks with an offset or fuzz, or rejected ones. */
  messages: string;
  failed: number;
  rejected: string;
}

/** Applies hunks in their order, each at the place nearest to where it should be, behind the one before it. */
export async function applyHunks(
  before: string,
  hunks: readonly Hunk[],
  pace: Pace,
): Promise<Applied> {
  const isOpen = before !== "" && !before.endsWith("\n");
  const lines = before === "" ? [] : (isOpen ? before : before.slice(0, -1)).split("\n");
  const output: string[] = [];
  let endsOpen = isOpen;
  let [messages, rejected, failed] = ["", "", 0];
  /** Lines by which the last hunk was off, and those that are done. */
  let [drift, reached] = [0, 0];
  for (const [index, hunk] of hunks.entries()) {
    const found = await locate(lines, hunk, { expected: hunk.start + drift, reached, pace });
    if (!found) {
      messages += `Hunk #${index + 1} FAILED at ${hunk.start + 1}.\n`;
      rejected += hunk.text;
      failed += 1;
      continue;
    }
    const { at, fuzz } = found;
    const [head, tail] = [Math.min(fuzz, hunk.leading), Math.min(fuzz, hunk.trailing)];
    const offset = at - head - (hunk.start + drift);
    await copyLines(lines, { from: reached, to: at }, { output, pace });
    messages += messageOf(index + 1, { place: output.length - head + 1, offset, fuzz });
    await copyLines(hunk.after, { from: head, to: hunk.after.length - tail }, { output, pace });
    drift += offset;
    reached = at + hunk.before.length - tail - head;
    if (reached === lines.length && tail === 0) endsOpen = hunk.afterIsOpen;
  }
  await copyLines(lines, { from: reached, to: lines.length }, { output, pace });
  const text = output.length === 0 ? "" : output.join("\n") + (endsOpen ? "" : "\n");
  return { text, messages, failed, rejected };
}

function messageOf(
  number: number,
  { place, offset, fuzz }: { place: number; offset: number; fuzz: number },
): string {
  if (offset === 0 && fuzz === 0) return "";
  const how = fuzz > 0 ? ` with fuzz ${fuzz}` : "";
  const moved = offset === 0 ? "" : ` (offset ${offset} line${Math.abs(offset) === 1 ? "" : "s"})`;
  return `Hunk #${number} succeeded at ${place}${how}${moved}.\n`;
}

async function copyLines(
  lines: readonly string[],
  { from, to }: { from: number; to: number },
  { output, pace }: { output: string[]; pace: Pace },
): Promise<void> {
  for (let at = from; at < to; at++) {
    const turn = at % LINES_PER_STEP === 0 ? pace() : undefined;
    if (turn) await turn;
    output.push(lines[at] ?? "");
  }
}

/** Finds the hunk's old lines nearest to `expected`, first with full context, then with less. */
async function locate(
  lines: readonly string[],
  { before, leading, trailing }: Hunk,
  { expected, reached, pace }: { expected: number; reached: number; pace: Pace },
): Promise<{ at: number; fuzz: number } | undefined> {
  for (let fuzz = 0; fuzz <= Math.min(MAX_FUZZ, Math.max(leading, trailing)); fuzz++) {
    const head = Math.min(fuzz, leading);
    const wanted = before.slice(head, before.length - Math.min(fuzz, trailing));
    const fits = (at: number): boolean =>
      at >= reached &&
      at + wanted.length <= lines.length &&
      wanted.every((line, index) => lines[at + index] === line);
    const start = expected + head;
    for (let distance = 0; distance <= lines.length; distance++) {
      const turn = distance % LINES_PER_STEP === 0 ? pace() : undefined;
      if (turn) await turn;
      if (fits(start + distance)) return { at: start + distance, fuzz };
      if (fits(start - distance)) return { at: start - distance, fuzz };
    }
  }
  return undefined;
}
