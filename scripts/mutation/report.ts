// The mutation report of one file, which a run stores and resumes from.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");
export const scratch = join(root, ".mutation");
/** The code that guards: below the runtime's sources, or behind `shell/` below those of the shell. */
const GUARDED = [
  "network",
  "ports/path.ts",
  "messages/redact.ts",
  "messages/redactor.ts",
  "messages/stream-redactor.ts",
  "permissions",
  "shell/engine/command-guard.ts",
  "shell/files/guarded-files.ts",
];

/** The path of such a file from the root. */
export function sourcePath(file: string): string {
  return file.startsWith("shell/")
    ? `packages/shell/src/${file.slice("shell/".length)}`
    : `packages/runtime/src/${file}`;
}

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
  /** False when the time was up before all changes were tried. */
  isWhole: boolean;
}

export interface Score {
  mutants: number;
  killed: number;
  /** Percentage of killed mutants among those that a test could kill. */
  score: number;
}

/** The files below these paths that have code; all that guard when none is named. */
export function guardedFiles(paths: readonly string[] = []): string[] {
  return (paths.length > 0 ? paths : GUARDED).flatMap((path) => {
    const whole = join(root, sourcePath(path));
    if (!existsSync(whole)) return [];
    if (statSync(whole).isFile()) return [path];
    return globSync("**/*.ts", { cwd: whole })
      .filter((name) => !name.endsWith(".test.ts"))
      .toSorted()
      .map((name) => `${path}/${name}`);
  });
}

/** Path of the report for a file. */
export function reportPath(file: string): string {
  return join(scratch, "reports", `${file.replaceAll("/", "+")}.json`);
}

/** Marker file for an interrupted run. */
export function cutPath(file: string): string {
  return `${reportPath(file)}.cut`;
}

/** The report of a file, or `undefined` when it was not run. */
export function readReport(file: string): FileReport | undefined {
  const path = reportPath(file);
  if (!existsSync(path)) return undefined;
  const { files } = JSON.parse(readFileSync(path, "utf8")) as {
    files: Record<string, Pick<FileReport, "source" | "mutants">>;
  };
  const found = Object.entries(files).find(([name]) => name.endsWith(sourcePath(file)));
  return found && { ...found[1], date: statSync(path).mtime, isWhole: !existsSync(cutPath(file)) };
}

export function scoreOf({ mutants }: FileReport): Score {
  const counted = mutants.filter(({ status }) => isKilled(status) || isSurvivor(status));
  const killed = counted.filter(({ status }) => isKilled(status)).length;
  return { mutants: counted.length, killed, score: (killed / counted.length) * 100 };
}

/** Prints each surviving mutant: its line, the original and the replacement. */
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
