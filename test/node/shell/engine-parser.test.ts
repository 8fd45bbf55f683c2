import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createParser } from "../../../packages/shell/src/engine/parse/parser.ts";
import { ShellSyntaxError } from "../../../packages/shell/src/engine/parse/syntax-error.ts";
import { groups } from "../../conformance/groups.ts";
import { randomScript } from "../../support/shell/random-scripts.ts";

const SCRIPTS = 150;
/** One bash for all scripts: each is read by a fork of it that runs nothing. */
const READ_ALL = `for file in "$1"/*; do
  script=$(<"$file")
  (eval "set -n
$script") 2>/dev/null; echo "$?"
done`;

/** Whether bash's grammar accepts each of the scripts. */
function accepted(scripts: readonly string[]): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), "scripts-"));
  try {
    scripts.forEach((script, at) => writeFileSync(join(folder, String(10_000 + at)), script));
    const { stdout } = spawnSync("bash", ["-c", READ_ALL, "bash", folder], { encoding: "utf8" });
    return stdout
      .trim()
      .split("\n")
      .map((status) => status === "0");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parses(script: string): boolean {
  try {
    const parser = createParser(script);
    while (parser.next());
    return true;
  } catch (error) {
    if (error instanceof ShellSyntaxError) return false;
    throw error;
  }
}

/** Scripts that our grammar and bash's judge differently. */
function disagreements(scripts: readonly string[]): string[] {
  const judged = accepted(scripts);
  expect(judged).toHaveLength(scripts.length);
  return scripts.filter((script, at) => parses(script) !== judged[at]);
}

function randomScripts(isDamaged: boolean): string[] {
  return Array.from({ length: SCRIPTS }, (_, seed) => randomScript(seed, { isDamaged }));
}

it("accepts a random script exactly when bash does", () => {
  expect(disagreements(randomScripts(false))).toEqual([]);
});

it("accepts 98 of 100 damaged scripts exactly when bash does", () => {
  const different = disagreements(randomScripts(true));
  expect(different.length, different.join("\n\n")).toBeLessThanOrEqual(SCRIPTS * 0.02);
});

it("rejects the recorded lines that bash rejects", () => {
  const lines = groups.flatMap(({ cases }) => cases.map(({ command }) => command));
  const sample = lines.filter((line, at) => at % 40 === 0 || !parses(line));
  expect(disagreements(sample)).toEqual([]);
});
