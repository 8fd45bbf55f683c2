import type { Shell } from "@robota/runtime/ports";
import { expect } from "vitest";

/** Names that a description lists, in parentheses and as words of their own. */
function namedIn(description: string): string[] {
  const listed = [...description.matchAll(/\(([^)]*)\)/g)].flatMap(([, names = ""]) =>
    names.split(", "),
  );
  const own = ["git", "curl"].filter((name) => new RegExp(`; ${name}\\b`).test(description));
  return [...listed, ...own];
}

/** Asks a virtual shell for every command in its description, and for some that must be missing. */
export async function expectDescribed(shell: Shell, cwd: string): Promise<void> {
  const description = shell.describe?.() ?? "";
  const names = namedIn(description);
  expect(names).toEqual(expect.arrayContaining(["git", "js", "tar", "zip", "jq"]));
  const found = await shell.exec(`command -v ${names.join(" ")} | wc -l`, { cwd });
  expect(found.stdout.trim(), description).toBe(String(names.length));
  const { exitCode } = await shell.exec("command -v curl", { cwd });
  expect(names.includes("curl")).toBe(exitCode === 0);
  const compilers = await shell.exec("command -v gcc npm pip", { cwd });
  expect(compilers.stdout).toBe("");
  // Every request includes the description.
  expect(description.length).toBeLessThan(600);
}
