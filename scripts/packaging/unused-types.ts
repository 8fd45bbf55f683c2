// Declarations that no entry leads to: they take a third of a package, and nobody reads them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Keeps them out of the tarball, by a list of what is not packed. `entries`: the declarations that the manifest names. */
export function leaveOutUnusedTypes(folder: string, entries: readonly string[]): void {
  const dist = join(folder, "dist");
  const used = new Set<string>();
  for (const entry of entries) follow(join(folder, entry), used);
  const unused = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts") && !used.has(join(dist, file)))
    .map((file) => `/${relative(dist, join(dist, file))}\n`);
  writeFileSync(join(dist, ".npmignore"), unused.join(""));
}

function follow(file: string, seen: Set<string>): void {
  if (seen.has(file) || !existsSync(file)) return;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, specifier = ""] of text.matchAll(/(?:from|import\(|import)\s*"(\.[^"]+)"/g))
    follow(join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")), seen);
}
