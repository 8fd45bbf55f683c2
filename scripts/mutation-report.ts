// What is known of the changes to one file: the report that a run keeps and goes on from.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export const scratch = join(import.meta.dirname, "..", ".mutation");

interface Mutant {
  mutatorName: string;
  replacement?: string;
  status: string;
  location: { start: Place; end: Place };
}

interface Place {
  line: number;
  column: number;
}

export interface FileReport {
  source: string;
  mutants: readonly Mutant[];
  /** When it was written. */
  date: Date;
}

export interface Score {
  mutants: number;
  killed: number;
  /** Percent of the changes that count: those that a test could notice. */
  score: number;
}

/** Where the report of a file below the runtime's sources is kept. */
export function reportPath(file: string): string {
  return join(scratch, "reports", `${file.replaceAll("/", "+")}.json`);
}

/** The report of a file, or `undefined` when it was not run. */
export function readReport(file: string): FileReport | undefined {
  const path = reportPath(file);
  if (!existsSync(path)) return undefined;
  const { files } = JSON.parse(readFileSync(path, "utf8")) as {
    files: Record<string, Pick<FileReport, "source" | "mutants">>;
  };
  const found = Object.entries(files).find(([name]) => name.endsWith(`/${file}`));
  return found && { ...found[1], date: statSync(path).mtime };
}

export function scoreOf({ mutants }: FileReport): Score {
  const counted = mutants.filter(({ status }) => isKilled(status) || isSurvivor(status));
  const killed = counted.filter(({ status }) => isKilled(status)).length;
  return { mutants: counted.length, killed, score: (killed / counted.length) * 100 };
}

/** Each change that no test noticed: its line, what stood there and what stood there instead. */
export function printSurvivors(file: string, report: FileReport): void {
  const lines = report.source.split("\n");
  for (const { status, mutatorName, location, replacement = "" } of report.mutants) {
    if (!isSurvivor(status)) continue;
    const { start, end } = location;
    const line = lines[start.line - 1] ?? "";
    const before =
      start.line === end.line
        ? line.slice(start.column - 1, end.column - 1)
        : `${line.slice(start.column - 1)} …`;
    console.log(`${file}:${start.line} ${status} ${mutatorName}: ${before} -> ${replacement}`);
  }
  const { mutants, killed, score } = scoreOf(report);
  console.log(`${file}: ${killed} of ${mutants} noticed, ${score.toFixed(1)} %`);
}

function isKilled(status: string): boolean {
  return status === "Killed" || status === "Timeout";
}

function isSurvivor(status: string): boolean {
  return status === "Survived" || status === "NoCoverage";
}
