import { type Answer, differenceOf } from "./answers.ts";
import type { Bash } from "./bash.ts";
import { generateScript, type GeneratedScript } from "./grammar/script.ts";
import { type OwnAnswer, runOwn } from "./own.ts";

/** The smallest script found that still differs. */
export interface Shrunk {
  readonly text: string;
  readonly difference: string;
  readonly real: Answer | undefined;
  readonly own: OwnAnswer;
}

const ROUNDS = 40;
const AT_ONCE = 24;

/** Takes choices away while the answers still differ in the same way: first many at a time, then few, or makes them 0. */
export async function shrink(
  bash: Bash,
  script: GeneratedScript,
  difference: string,
): Promise<Shrunk> {
  let best = script;
  const steps = new Steps();
  for (let round = 0; round < ROUNDS; round++) {
    const candidates = steps.next(best);
    if (candidates.length === 0) break;
    const smaller = await smallestOf(bash, candidates, difference);
    if (!smaller) continue;
    best = smaller;
    steps.restart(best);
  }
  const [real] = await bash.run([best.text]);
  const own = await runOwn(best.text);
  const left = real && differenceOf(real, own);
  return { text: best.text, difference: left ?? difference, real, own };
}

/** The smallest of these scripts whose answers differ as said. */
async function smallestOf(
  bash: Bash,
  candidates: readonly GeneratedScript[],
  difference: string,
): Promise<GeneratedScript | undefined> {
  const reals = await bash.run(candidates.map(({ text }) => text));
  let smallest: GeneratedScript | undefined;
  for (const [index, candidate] of candidates.entries()) {
    if (smallest && candidate.text.length >= smallest.text.length) continue;
    const real = reals[index];
    const found = real && differenceOf(real, await runOwn(candidate.text));
    if (found !== undefined && kindOf(found) === kindOf(difference)) smallest = candidate;
  }
  return smallest;
}

function kindOf(difference: string): string {
  return difference.split(" ")[0] ?? "";
}

/** The way through the choices of a script. */
class Steps {
  readonly #tried = new Set<string>();
  #at = 0;
  #block: number | undefined;

  /** Begins again with a smaller script, with larger steps. */
  restart({ choices }: GeneratedScript): void {
    this.#at = 0;
    this.#block = Math.max(1, Math.min((this.#block ?? 1) * 2, Math.floor(choices.length / 2)));
  }

  /** The next smaller scripts to try; none at the end. */
  next(best: GeneratedScript): GeneratedScript[] {
    const { choices } = best;
    this.#block ??= Math.max(1, Math.floor(choices.length / 2));
    const candidates: GeneratedScript[] = [];
    while (candidates.length < AT_ONCE && this.#block > 0) {
      if (this.#at >= choices.length) {
        this.#block = Math.floor(this.#block / 2);
        this.#at = 0;
        continue;
      }
      for (const fewer of variants(choices, this.#at, this.#block)) {
        const candidate = generateScript(fewer);
        const { text } = candidate;
        if (text.length >= best.text.length || this.#tried.has(text)) continue;
        this.#tried.add(text);
        candidates.push(candidate);
      }
      this.#at += this.#block;
    }
    return candidates;
  }
}

function variants(choices: readonly number[], at: number, block: number): number[][] {
  const [before, after] = [choices.slice(0, at), choices.slice(at + block)];
  const zeros = choices.slice(at, at + block).map(() => 0);
  return [
    [...before, ...after],
    [...before, ...zeros, ...after],
  ];
}
