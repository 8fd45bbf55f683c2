import { useState } from "react";

export interface Busy {
  isBusy: boolean;
  /** The reason for which the last attempt failed; empty without one. */
  problem: string;
  /** Runs `work` unless something runs already, and keeps its failure for the panel. */
  run: (work: () => Promise<unknown>) => void;
}

/** Work that a button starts: one at a time, with its failure as words. */
export function useBusy(): Busy {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  }

  return { isBusy, problem, run: (work) => void (isBusy || attempt(work)) };
}

/** An error for a person, with its hint. */
export function problemText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = "hint" in error && typeof error.hint === "string" ? ` ${error.hint}` : "";
  return `${error.message}${hint}`;
}
