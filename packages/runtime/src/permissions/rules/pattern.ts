import { isWithin, normalizePath, resolvePath } from "../../ports/path.ts";
import { formsOf, type PermissionCall } from "../call.ts";
import { foldLetters, foldName } from "../paths/file-names.ts";
import { lineFiles, type NamedFile } from "../command-lines/line-files.ts";
import { isBroad, parsePattern, type PermissionPattern } from "./parse-pattern.ts";
import { forbiddenWords, mayCoverWords } from "../command-lines/shell-match.ts";
import { forbidsFor, isAboutReading, isAboutWriting } from "./tool-facts.ts";
import { globMatches, wildcard } from "./wildcard.ts";

/** A rule that concerns a call, and the responsible part of a shell line. */
export interface Concern {
  command?: string;
}

/**
 * Reports whether a deny or ask rule concerns a call. For a shell line, one part of it suffices, and file rules apply
 * to the files it names. Rules for searches apply to the searched paths, in any notation. Undecidable cases count: a
 * malformed rule that names the tool, and a pattern for a tool without an argument to match.
 */
export function concerns(rule: string, call: PermissionCall): Concern | undefined {
  const pattern = parsePattern(rule);
  if (!pattern) {
    const [name = ""] = rule.trim().split(/[^\w.:*-]/, 1);
    return name === "" || forbidsFor({ tool: name }, call.tool, call) ? {} : undefined;
  }
  const isLine = call.patternKind === "command";
  const searches = isSearch(call);
  if (forbidsFor(pattern, call.tool, call)) {
    if (call.patternArgument === undefined || matchesForbidden(pattern, call)) return {};
    if (isLine) return concernsLine(pattern, call);
    if (!searches) return undefined;
  } else if (isLine) return concernsFiles(pattern, call);
  else if (!searches || !isAboutReading(pattern) || isBroad(pattern)) return undefined;
  const forms = searchForms(call);
  return !forms || forms.some((form) => mayMatchPath(pattern, form, call)) ? {} : undefined;
}

/** Recognizes a call that searches a directory. */
export function isSearch({ patternKind }: PermissionCall): boolean {
  return patternKind === "glob" || patternKind === "search";
}

function matchesForbidden(pattern: PermissionPattern, call: PermissionCall): boolean {
  if (isBroad(pattern)) return true;
  if (call.value === undefined) return false;
  const { argument = "" } = pattern;
  if (call.patternKind === "path") {
    const forms = formsOf(call.value, call);
    return !forms || forms.some((form) => mayMatchPath(pattern, form, call));
  }
  if (call.patternKind === "address" && argument.startsWith("domain:")) {
    const host = hostOf(call.value);
    return host === undefined || matchesHost(argument, host);
  }
  return matchesText(argument, call);
}

function concernsLine(
  { argument = "" }: PermissionPattern,
  call: PermissionCall,
): Concern | undefined {
  const patterns = forbiddenWords(argument);
  const { commands, isComplete } = call.possible();
  if (!isComplete) return {};
  const found = commands.find((line) => patterns.some((words) => mayCoverWords(words, line)));
  return found && { command: found.join(" ") };
}

/** Applies file rules to a shell line: rules about reading to its reads, rules about writing to its writes. */
function concernsFiles(pattern: PermissionPattern, call: PermissionCall): Concern | undefined {
  const isRead = isAboutReading(pattern) && !isBroad(pattern);
  if (!isRead && !isAboutWriting(pattern)) return undefined;
  const files = lineFiles(call);
  if (!files.isComplete) return {};
  const places = isRead ? files.reads : files.writes;
  const found = places.find(
    ({ word, forms }) =>
      isBroad(pattern) ||
      forms?.some((form) => mayMatchPath(pattern, form, call)) ||
      (!forms && mayEndIn(pattern, word, call)) ||
      (/[*?[]/.test(word) && forms?.some((form) => mayMeet(pattern, form, call))),
  );
  return found && { command: found.command };
}

/** Reports whether a word that begins with a substitution or a variable may name a file of a rule, by its ending. */
function mayEndIn(
  { argument = "" }: PermissionPattern,
  word: string,
  call: PermissionCall,
): boolean {
  const end = word.replace(/^.*(?:\$\w+|[)}`])/s, "");
  if (end === word || !/^\/+[^/]/.test(end)) return false;
  const path = foldSegments(normalizePath(end));
  return anchored(argument, call).some((pattern) => {
    const segments = foldSegments(pattern).split("/");
    return segments.some((_, index) => {
      const rest = segments.slice(index + 1);
      // Stars alone say nothing of which file it is.
      return (
        rest.some((segment) => !/^\**$/.test(segment)) && globMatches(`/${rest.join("/")}`, path)
      );
    });
  });
}

/** The directory that a search covers, as far as its pattern tells. */
export function searchForms(call: PermissionCall): readonly string[] | undefined {
  const { path, pattern } = call.args;
  const start = typeof path === "string" ? path : ".";
  if (call.patternKind !== "glob" || typeof pattern !== "string") return formsOf(start, call);
  const segments = pattern.split("/");
  const free = segments.findIndex((segment) => /[*?[\]{}]/.test(segment));
  if (free >= 0 && segments.slice(free).some((segment) => /^\.\.|[{,]\.\./.test(segment)))
    return undefined;
  if (/\{[^}]*(?:\/|\.\.)/.test(pattern)) return undefined;
  const fixed = (free < 0 ? segments : segments.slice(0, free)).join("/");
  return formsOf(pattern.startsWith("/") ? `/${fixed}` : `${start}/${fixed}`, call);
}

/** The rules for a tool that together allow a call of it, other than a shell line; `undefined` when they don't. */
export function allowingRules(
  rules: readonly string[],
  call: PermissionCall,
): string[] | undefined {
  const patterns = rules.flatMap((rule) => {
    const pattern = parsePattern(rule);
    return pattern && wildcard(pattern.tool, call.tool) ? [{ rule, pattern }] : [];
  });
  const broad = patterns.find(({ pattern }) => isBroad(pattern));
  if (broad) return [broad.rule];
  if (call.value === undefined) return undefined;
  if (call.patternKind === "path") {
    const forms = formsOf(call.value, call);
    return (
      forms && coveringAll(patterns, forms, (pattern, form) => matchesPath(pattern, form, call))
    );
  }
  const found = patterns.find(({ pattern: { argument = "" } }) => {
    if (call.patternKind !== "address" || !argument.startsWith("domain:"))
      return matchesText(argument, call);
    const host = hostOf(call.value ?? "");
    return host !== undefined && matchesHost(argument, host);
  });
  return found && [found.rule];
}

/** The rules for files that allow every form of a place. */
export function rulesForPlace(
  rules: readonly string[],
  tools: readonly string[],
  { forms }: Pick<NamedFile, "forms">,
  call: PermissionCall,
): string[] | undefined {
  const patterns = rules.flatMap((rule) => {
    const pattern = parsePattern(rule);
    return pattern && tools.includes(pattern.tool) ? [{ rule, pattern }] : [];
  });
  return (
    forms &&
    coveringAll(
      patterns,
      forms,
      (pattern, form) => isBroad(pattern) || matchesPath(pattern, form, call),
    )
  );
}

function coveringAll(
  patterns: readonly { rule: string; pattern: PermissionPattern }[],
  forms: readonly string[],
  covers: (pattern: PermissionPattern, form: string) => boolean,
): string[] | undefined {
  const used = new Set<string>();
  for (const form of forms) {
    const found = patterns.find(({ pattern }) => covers(pattern, form));
    if (!found) return undefined;
    used.add(found.rule);
  }
  return [...used];
}

function matchesText(argument: string, { patternKind, value = "" }: PermissionCall): boolean {
  return patternKind === "command"
    ? wildcard(argument.trim(), value.trim())
    : wildcard(argument, value);
}

/** The host of an address as browsers parse it; `undefined` unless it is an http address. */
export function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) ? hostname.replace(/\.$/, "") : undefined;
}

/** `domain:example.com` is that host alone; `domain:*.example.com` any below it, label by label. */
function matchesHost(argument: string, host: string): boolean {
  const wanted = argument.slice("domain:".length).trim();
  const isBelow = wanted.startsWith("*.");
  const name = hostOf(`http://${isBelow ? wanted.slice(2) : wanted}`);
  if (wanted === "*") return true;
  if (name === undefined) return false;
  return isBelow ? host.endsWith(`.${name}`) : host === name;
}

/**
 * `/src/**` is anchored at the root of the workspace that holds the path, and at the filesystem's root for a path that
 * lies in none; `//abs` always at the filesystem's root, `~/` at the home; anything else is relative to where one works.
 */
function matchesPath(
  { argument = "" }: PermissionPattern,
  path: string,
  call: PermissionCall,
): boolean {
  return anchored(argument, call, path).some((pattern) => coversPath(pattern, path));
}

/** Reports whether a path matches a pattern, or is below a directory that the pattern names. */
function coversPath(pattern: string, path: string): boolean {
  if (globMatches(pattern, path)) return true;
  const isNamed = !pattern.slice(pattern.lastIndexOf("/") + 1).includes("*");
  return isNamed && globMatches(pattern === "/" ? "/**" : `${pattern}/**`, path);
}

/** Reports whether a rule names the very path, and not a parent. */
export function namesPath(
  { argument = "" }: PermissionPattern,
  path: string,
  call: Pick<PermissionCall, "context">,
): boolean {
  return anchored(argument, call).includes(path);
}

/** The same for rules that forbid: also in other cases and forms of letters, and wherever the rule may be anchored. */
function mayMatchPath(
  { argument = "" }: PermissionPattern,
  path: string,
  call: Pick<PermissionCall, "context">,
): boolean {
  return forbiddenPaths(argument, call)(path, foldSegments(path));
}

/** The same for one rule and many paths. `folded` is the path after `foldSegments`. */
export function forbiddenPaths(
  argument: string,
  call: Pick<PermissionCall, "context">,
): (path: string, folded: string) => boolean {
  const patterns = anchored(argument, call).map(
    (pattern) => [pattern, foldSegments(pattern)] as const,
  );
  return (path, folded) =>
    patterns.some(([plain, loose]) => coversPath(plain, path) || coversPath(loose, folded));
}

/** Reports whether a path with wildcards may stand for one that a rule concerns. */
function mayMeet(
  { argument = "" }: PermissionPattern,
  path: string,
  call: PermissionCall,
): boolean {
  const given = path.replace(/\[[^\]]*\]?|\?/g, "*").split("/");
  return anchored(argument, call).some((pattern) => {
    for (const [index, segment] of pattern.split("/").entries()) {
      const other = given[index];
      if (segment === "**") return true;
      if (other === undefined) return false;
      const meets =
        (segment.includes("*") && other.includes("*")) ||
        wildcard(segment, other) ||
        wildcard(other, segment);
      if (!meets) return false;
    }
    return true;
  });
}

/** The possible absolute forms of a path rule. With a path, only the one that applies to it. */
function anchored(
  argument: string,
  call: Pick<PermissionCall, "context">,
  path?: string,
): string[] {
  const patterns = anchoredByName(argument, call, path);
  const found = new Set(patterns);
  for (const [named, real] of call.context.aliases ?? []) {
    for (const pattern of patterns) {
      if (isWithin(named, pattern)) found.add(moved(pattern, named, real));
      if (isWithin(real, pattern)) found.add(moved(pattern, real, named));
    }
  }
  return [...found];
}

function moved(path: string, from: string, to: string): string {
  return resolvePath(to, `./${path.slice(from.length)}`);
}

function anchoredByName(
  argument: string,
  { context }: Pick<PermissionCall, "context">,
  path?: string,
): string[] {
  const { cwd = "/" } = context;
  const pattern = argument.trim();
  if (pattern.startsWith("//")) return [normalizePath(pattern)];
  if (pattern === "~" || pattern.startsWith("~/"))
    return context.home === undefined ? [] : [resolvePath(context.home, `.${pattern.slice(1)}`)];
  if (!pattern.startsWith("/")) return [resolvePath(cwd, pattern)];
  const roots = context.roots ?? [cwd];
  const holding = path === undefined ? roots : roots.filter((root) => isWithin(root, path));
  const below = holding.map((root) => resolvePath(root, `.${pattern}`));
  if (path === undefined) return [...below, normalizePath(pattern)];
  // A rule outside of the workspace must name a location: `/**` is about the workspace and not about the machine.
  const saysWhere = !/^\/[^/]*\*/.test(pattern);
  return holding.length > 0 || (context.roots && !saysWhere) ? below : [normalizePath(pattern)];
}

/** A path or a pattern for one, with its names as the most forgiving of file systems compares them. */
export function foldSegments(path: string): string {
  return path
    .split("/")
    .map((segment) =>
      segment.includes("*") ? segment.split("*").map(foldLetters).join("*") : foldName(segment),
    )
    .join("/");
}
