import { readOptions } from "./arguments.ts";
import { fatal, notHere } from "./failure.ts";
import { pathFilter, quotePath } from "./pathspec.ts";
import { type Index, join, readIndex, type Repository } from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import { untracked } from "./repository/worktree.ts";

/** Untracked files, and whole directories of them unless they contain ignored files to keep. */
async function removable(repo: Repository, index: Index, takesIgnored: boolean): Promise<string[]> {
  const names = await untracked(repo, index, { directories: true });
  if (takesIgnored) return names;
  const files = await untracked(repo, index, { directories: false });
  const ignored = await untracked(repo, index, { directories: false, ignored: true });
  return names.flatMap((name) =>
    name.endsWith("/") && ignored.some((path) => path.startsWith(name))
      ? files.filter((path) => path.startsWith(name))
      : [name],
  );
}

export const clean: Subcommand = async (repo, args) => {
  const options = readOptions("clean", args, {
    flags: ["f|force", "d", "n|dry-run", "x", "X", "q|quiet", "i|interactive"],
    valued: ["e|exclude"],
  });
  if (options.has("interactive")) throw notHere("clean -i", "use -n to look, then -f");
  if (!options.has("force") && !options.has("dry-run"))
    throw fatal(
      "clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean",
    );
  const index = await readIndex(repo);
  const operands = [...options.operands, ...(options.paths ?? [])];
  const filter = pathFilter(repo, operands.length > 0 ? operands : repo.prefix === "" ? [] : ["."]);
  const plain = options.has("X")
    ? []
    : await removable(repo, index, options.has("x") || !options.has("d"));
  const ignored =
    options.has("x") || options.has("X")
      ? await untracked(repo, index, { directories: true, ignored: true })
      : [];
  const excluded = options.all("exclude");
  let stdout = "";
  for (const path of [...plain, ...ignored].sort()) {
    const isDirectory = path.endsWith("/");
    if ((isDirectory && !options.has("d")) || !filter(path.replace(/\/$/, ""))) continue;
    if (excluded.some((one) => path === one || path.startsWith(`${one}/`))) continue;
    if (!options.has("quiet") || options.has("dry-run"))
      stdout += `${options.has("dry-run") ? "Would remove" : "Removing"} ${quotePath(path)}\n`;
    if (!options.has("dry-run")) await repo.fs.remove(join(repo.dir, path), { recursive: true });
  }
  return { stdout };
};
