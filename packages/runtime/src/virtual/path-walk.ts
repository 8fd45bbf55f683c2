import { FileSystemError } from "../errors.ts";
import type { PathOptions } from "../ports/file-system.ts";
import { isNormalized, normalizePath } from "../ports/path.ts";

/** The facts about an entry that a walk needs. */
export type WalkNode =
  | { readonly type: "file" }
  | { readonly type: "directory" }
  | { readonly type: "symlink"; readonly target: string };

/** The directories among the nodes of a tree. */
export type DirectoryOf<Node extends WalkNode> = Extract<Node, { type: "directory" }>;

/** The target of a path, free of symlinks. */
export interface Place<Node extends WalkNode> {
  /** `undefined` when nothing is there; its parent is. */
  node: Node | undefined;
  /** Empty for the root. */
  name: string;
  /** The directories on the way, from the root to the parent; empty for the root. */
  trail: DirectoryOf<Node>[];
  /** The same as a path. */
  path: string;
}

/** A walk's request for `name` in `directory`. */
export interface Lookup<Node extends WalkNode> {
  directory: DirectoryOf<Node>;
  name: string;
}

/** The limit of Linux. */
const MAX_SYMLINKS = 40;
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;

/**
 * Walks a path through a tree as POSIX does, after `.` and `..` in `path` itself were resolved by name. It yields a
 * `Lookup` for each step, so that one implementation serves trees in memory (`walkNow`) and trees that must be asked
 * (`walkLater`). With `follow`, a symlink in the last segment is followed too; with `noFollow`, each that would be
 * followed is `ELOOP`.
 * @throws {FileSystemError} `ENOENT` (a parent is missing), `ENOTDIR`, `ELOOP`, `ENAMETOOLONG`, `EINVAL` (a NUL)
 */
export function* walk<Node extends WalkNode>(
  root: DirectoryOf<Node>,
  path: string,
  follow: boolean,
  { noFollow = false }: PathOptions = {},
): Generator<Lookup<Node>, Place<Node>, Node | undefined> {
  checkPath(path);
  const steps: { name: string; node: Node }[] = [{ name: "", node: root }];
  const rest = segments(normalizePath(path)).reverse();
  let symlinks = 0;

  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    const directory = steps.at(-1)!.node;
    if (!isDirectory(directory)) throw new FileSystemError("ENOTDIR", path);
    if (name === ".") continue;
    if (name === "..") {
      if (steps.length > 1) steps.pop();
      continue;
    }
    if (isLonger(name, MAX_NAME_BYTES)) throw new FileSystemError("ENAMETOOLONG", path);

    const node = yield { directory, name };
    if (!node) {
      if (rest.length > 0) throw new FileSystemError("ENOENT", path);
      return place(steps, name, undefined);
    }
    if (node.type === "symlink" && (follow || rest.length > 0)) {
      if (noFollow || ++symlinks > MAX_SYMLINKS) throw new FileSystemError("ELOOP", path);
      if (node.target.startsWith("/")) steps.length = 1;
      rest.push(...targetSegments(node.target).reverse());
    } else {
      steps.push({ name, node });
    }
  }
  const last = steps.pop()!;
  return place(steps, last.name, last.node);
}

/** Runs a walk over a tree that answers at once. */
export function walkNow<Node extends WalkNode>(
  walking: Generator<Lookup<Node>, Place<Node>, Node | undefined>,
  answer: (lookup: Lookup<Node>) => Node | undefined,
): Place<Node> {
  let step = walking.next();
  while (!step.done) step = walking.next(answer(step.value));
  return step.value;
}

/** Runs a walk over an asynchronous tree, which may know some of the answers synchronously. */
export async function walkLater<Node extends WalkNode>(
  walking: Generator<Lookup<Node>, Place<Node>, Node | undefined>,
  answer: (lookup: Lookup<Node>) => Node | undefined | Promise<Node | undefined>,
): Promise<Place<Node>> {
  let step = walking.next();
  while (!step.done) {
    const answered = answer(step.value);
    step = walking.next(answered instanceof Promise ? await answered : answered);
  }
  return step.value;
}

/**
 * The result of a walk along `path` when it meets no symlink, however far it comes: `{ node: undefined }` for nothing.
 * `undefined` when it meets one, or when the path is not normalised.
 */
export function walkCanonical<Node extends WalkNode>(
  root: DirectoryOf<Node>,
  path: string,
  childOf: (directory: DirectoryOf<Node>, name: string) => Node | undefined,
): { node: Node | undefined } | undefined {
  if (!path.startsWith("/") || isLonger(path, MAX_PATH_BYTES)) return undefined;
  let node: Node = root;
  for (let start = 1; isDirectory(node);) {
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const name = path.slice(start, end);
    if (name === "" || name === "." || name === "..") return undefined;
    const child = childOf(node, name);
    if (child?.type === "symlink") return undefined;
    if (!child) break;
    if (slash === -1) return { node: child };
    node = child;
    start = end + 1;
  }
  return isNormalized(path) ? { node: undefined } : undefined;
}

/**
 * As `walk`, for a normalised path without symlinks, at a fifth of the cost; `undefined` for every other path,
 * including missing ones: `walk` gives the reason.
 */
export function locateCanonical<Node extends WalkNode>(
  root: DirectoryOf<Node>,
  path: string,
  childOf: (directory: DirectoryOf<Node>, name: string) => Node | undefined,
): Place<Node> | undefined {
  if (!path.startsWith("/") || path.includes("\0") || !path.isWellFormed()) return undefined;
  if (isLonger(path, MAX_PATH_BYTES)) return undefined;
  const trail: DirectoryOf<Node>[] = [];
  let node: Node | undefined = root;
  for (let start = 1; node && isDirectory(node);) {
    const slash = path.indexOf("/", start);
    const name = slash === -1 ? path.slice(start) : path.slice(start, slash);
    if (name === "" || name === "." || name === ".." || isLonger(name, MAX_NAME_BYTES))
      return undefined;
    trail.push(node);
    node = childOf(node, name);
    if (node?.type === "symlink") return undefined;
    if (slash === -1) return { node, name, trail, path };
    start = slash + 1;
  }
  return undefined;
}

function isDirectory<Node extends WalkNode>(node: Node): node is DirectoryOf<Node> {
  return node.type === "directory";
}

/**
 * @throws {FileSystemError} for invalid names: `EINVAL` (contains NUL), `ENAMETOOLONG` (more than 4,095 bytes without
 * dots and repeated slashes)
 */
export function checkPath(path: string): void {
  checkText(path);
  if (isLonger(path, MAX_PATH_BYTES) && isLonger(normalizePath(path), MAX_PATH_BYTES))
    throw new FileSystemError("ENAMETOOLONG", path);
}

/** @throws {FileSystemError} for invalid symlink targets: `ENOENT` (empty), `EINVAL` (contains NUL), `ENAMETOOLONG` */
export function checkTarget(target: string): void {
  if (target === "") throw new FileSystemError("ENOENT", target);
  checkText(target);
  if (isLonger(target, MAX_PATH_BYTES)) throw new FileSystemError("ENAMETOOLONG", target);
}

function checkText(path: string): void {
  if (path.includes("\0")) throw new FileSystemError("EINVAL", path);
}

/** `path` and every directory above it but the root, from the top. @throws {FileSystemError} `EINVAL` (a NUL) */
export function prefixesOf(path: string): string[] {
  checkPath(path);
  const names = segments(normalizePath(path));
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

/** The names of a path; `.` and empty ones say nothing. */
function segments(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** The names of a symlink's target, with a `.` behind one that has to be a directory, as `x/` and `x/.` say. */
function targetSegments(target: string): string[] {
  const names = segments(target.toWellFormed());
  return /\/\.?$/.test(target) ? [...names, "."] : names;
}

/**
 * Reports whether `text` has more than `bytes` as UTF-8. A UTF-16 unit takes one to three, so most need no encoding to
 * know.
 */
function isLonger(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return false;
  return text.length > bytes || new TextEncoder().encode(text).length > bytes;
}

function place<Node extends WalkNode>(
  steps: { name: string; node: Node }[],
  name: string,
  node: Node | undefined,
): Place<Node> {
  const trail = steps.map((step) => step.node).filter(isDirectory);
  return { node, name, trail, path: name === "" ? "/" : childPath(pathOf(steps), name) };
}

function pathOf(steps: readonly { name: string }[]): string {
  return steps.length === 1 ? "/" : steps.map((step) => step.name).join("/");
}

/** The path of the entry `name` of a directory. */
export function childPath(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}
