import { execFileSync } from "node:child_process";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../../..");

/** Sources of the packages and applications, without their tests, by their paths from the repository's root. */
export function productFiles(): string[] {
  const tracked = execFileSync("git", ["ls-files", "packages/*/src/*", "apps/*/src/*"], {
    cwd: root,
    encoding: "utf8",
  });
  return tracked
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !/(?:\.test|-fixture)\.tsx?$/.test(file));
}
