import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const commands = join(import.meta.dirname, "../../../packages/shell/src/commands");

/** Commands that share their code, by the file of the family. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  "archive/gzip.ts": ["gunzip", "gzip", "zcat"],
  "bytes/sha-sums.ts": ["sha1sum", "sha256sum", "sha384sum", "sha512sum"],
  "process/runners.ts": ["ionice", "nice", "nohup", "setsid", "stdbuf"],
  "process/shells.ts": ["bash", "sh"],
  "search/grep.ts": ["egrep", "fgrep", "grep", "zgrep"],
  "text/pagers.ts": ["less", "more"],
};

it("keeps each shell command in a file of its name", () => {
  const list = readFileSync(join(commands, "all.ts"), "utf8");
  const entries = [...list.matchAll(/lazily\(\s*\(\) => import\("\.\/([^"]+)"\),\s*\[([^\]]*)\]/g)];
  expect(entries.length).toBeGreaterThan(60);
  for (const [, file = "", names = ""] of entries) {
    const commandNames = [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
    const own = commandNames[0] ?? "";
    const isOwn = file.endsWith(`/${own}.ts`) || file === `${own}/index.ts`;
    if (commandNames.length === 1) expect(isOwn, `${own} is in ${file}`).toBe(true);
    else expect(commandNames, file).toEqual(FAMILIES[file]);
  }
});
