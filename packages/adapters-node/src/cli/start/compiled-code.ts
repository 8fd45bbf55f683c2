/**
 * Keeps what Node compiles of this program for later starts, beside the stored sessions: an agent writes there only when it is
 * allowed to, and other users never. Code of other versions goes. Where nothing is stored yet, or nothing can be written,
 * every start compiles anew.
 */
export function keepCompiledCode(manifest: URL): void {
  // Node 22.3 and later.
  if (!("getBuiltinModule" in process)) return;
  const { enableCompileCache, getCompileCacheDir } = process.getBuiltinModule("node:module");
  // A person may have chosen another place.
  if (getCompileCacheDir() !== undefined) return;
  try {
    enableCompileCache(directoryOf(manifest));
  } catch {
    // It only takes longer.
  }
}

function directoryOf(manifest: URL): string {
  const { existsSync, mkdirSync, readFileSync, rmSync } = process.getBuiltinModule("node:fs");
  const { homedir } = process.getBuiltinModule("node:os");
  const path = process.getBuiltinModule("node:path");
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, "utf8"));
  // No name of stored data has a `~`.
  const all = path.join(homedir(), ".robota", "~compiled");
  const directory = path.join(all, version);
  if (existsSync(directory)) return directory;
  rmSync(all, { recursive: true, force: true });
  mkdirSync(all, { mode: 0o700 });
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}
