import { fatal } from "./failure.ts";
import type { Repository } from "./repository/repository.ts";

export interface Pathspec {
  readonly given: string;
  matches(path: string): boolean;
}

/** A path relative to the root of the working tree: without leading or trailing `/`, empty for the root. */
export function rootPath(repo: Repository, path: string): string {
  const whole = repo.context.resolve(
    path.startsWith("/") ? path : `${repo.dir}/${repo.prefix}${path}`,
  );
  if (whole === repo.dir) return "";
  const root = repo.dir === "/" ? "/" : `${repo.dir}/`;
  if (!whole.startsWith(root))
    throw fatal(`${path}: '${path}' is outside repository at '${repo.dir}'`);
  return whole.slice(root.length);
}

/** Parses a path operand: a file, everything below a directory, or a pattern; `:!` excludes. */
export function pathspec(repo: Repository, given: string): Pathspec {
  const fromRoot = given.startsWith(":/") || given.startsWith(":(top)");
  const plain = given.replace(/^:(?:\/|\(top\))/, "");
  const path = fromRoot ? plain.replace(/\/$/, "") : rootPath(repo, plain);
  const below = path === "" ? "" : `${path}/`;
  const isPattern = /[*?[]/.test(path);
  const pattern = isPattern ? wildcard(path) : undefined;
  return {
    given,
    matches: (one) =>
      path === "" || one === path || one.startsWith(below) || (pattern?.test(one) ?? false),
  };
}

/** Creates a test for paths that match any of the operands; without operands all match. */
export function pathFilter(
  repo: Repository,
  operands: readonly string[] | undefined,
): (path: string) => boolean {
  if (!operands || operands.length === 0) return () => true;
  const isExcluding = (operand: string): boolean => /^:(?:[!^]|\(exclude\))/.test(operand);
  const without = operands
    .filter(isExcluding)
    .map((operand) => pathspec(repo, operand.replace(/^:(?:[!^]|\(exclude\))/, "")));
  const wanted = operands
    .filter((operand) => !isExcluding(operand))
    .map((operand) => pathspec(repo, operand));
  return (path) =>
    (wanted.length === 0 || wanted.some((spec) => spec.matches(path))) &&
    !without.some((spec) => spec.matches(path));
}

/** Compiles one of git's patterns, in which `*` matches slashes too. */
function wildcard(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, String.raw`\$&`)
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".")
    .replaceAll("[!", "[^");
  return new RegExp(`^${source}(?:/|$)`, "s");
}

/** A repository path relative to the current directory, as a person writes it. */
export function shownPath(repo: Repository, path: string): string {
  if (repo.prefix === "") return quotePath(path);
  const from = repo.prefix.slice(0, -1).split("/");
  const to = path.split("/");
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  const up = "../".repeat(from.length - same);
  return quotePath(up + to.slice(same).join("/") || "./");
}

const ESCAPES: Record<string, string> = { "\n": "n", "\t": "t", "\r": "r", '"': '"', "\\": "\\" };

/** Quotes a path with special characters, as with `core.quotePath`. */
export function quotePath(path: string): string {
  if (!/[^ !#-[\]-~]/.test(path)) return path;
  const bytes = new TextEncoder().encode(path);
  const text = Array.from(bytes, (byte) => {
    const letter = String.fromCharCode(byte);
    const escape = ESCAPES[letter];
    if (escape !== undefined) return `\\${escape}`;
    return byte < 32 || byte > 126 ? `\\${byte.toString(8).padStart(3, "0")}` : letter;
  });
  return `"${text.join("")}"`;
}
