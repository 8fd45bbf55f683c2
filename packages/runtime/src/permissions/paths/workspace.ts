import { isWithin } from "../../ports/path.ts";
import { formsOf, type PermissionCall } from "../call.ts";
import { destruction } from "../command-lines/destructive.ts";
import { isSecretName, protectedName, unusablePath } from "./file-names.ts";
import { reachesNetwork } from "../command-lines/network-use.ts";
import { hiddenForms } from "./names/hidden-names.ts";
import { lineFiles, type NamedFile } from "../command-lines/line-files.ts";
import { isBroad, parsePattern } from "../rules/parse-pattern.ts";
import { isSearch, namesPath, searchForms } from "../rules/pattern.ts";
import { commandName } from "../command-lines/shell-launchers.ts";

/** The reason for an approval or a denial, for a person. */
export interface Objection {
  reason: string;
  command?: string;
}

/** The reason why the path of a call is not accepted. */
export function unusableArgument(call: PermissionCall): Objection | undefined {
  const named = call.patternKind === "path" ? call.value : undefined;
  const path = isSearch(call) ? call.args.path : named;
  const reason = typeof path === "string" ? unusablePath(path) : undefined;
  return reason === undefined ? undefined : { reason };
}

/** Objections that need approval even with an allow rule and in `bypassPermissions`. */
export function alwaysAsks(call: PermissionCall): Objection | undefined {
  if (call.patternKind === "path" && call.access !== "read") {
    const forms = formsOf(call.value ?? "", call);
    if (!forms) return { reason: "Its path can't be resolved." };
    const name = firstOf(forms, protectedName);
    return name === undefined ? undefined : { reason: `It changes ${name}.` };
  }
  if (call.patternKind !== "command") return undefined;
  const destroyed = destruction(call);
  if (destroyed) return destroyed;
  const files = lineFiles(call);
  for (const { word, forms, command } of [...files.writes, ...files.others]) {
    const places = forms ?? [word.startsWith("/") ? word : `/${word}`];
    const name = firstOf([...places, ...places.flatMap(hiddenForms)], protectedName);
    if (name !== undefined) return { reason: `It may change ${name}.`, command };
  }
  if (!files.isListed) return { reason: "It is too long or too entangled to be checked." };
  if (/\/dev\/(?:tcp|udp)\//.test(call.value ?? ""))
    return { reason: "It opens a connection through a file name." };
  return undefined;
}

/**
 * Objections that need approval unless a rule names the very path, or the mode asks nothing: outside files, secret
 * files.
 */
export function outside(
  call: PermissionCall,
  allowing: readonly string[] | undefined,
): Objection | undefined {
  const { patternKind } = call;
  if (patternKind === "path") {
    const forms = formsOf(call.value ?? "", call);
    if (!forms) return { reason: "Its path can't be resolved." };
    if (!forms.filter(isSecretName).every((form) => isNamed(form, allowing, call)))
      return { reason: "The file is of a kind that holds keys or passwords." };
    const isRead = call.access === "read";
    const opens = allowing && (isRead || !allowing.some(isBroadRule));
    return opens || isInside(forms, call, isRead)
      ? undefined
      : { reason: "It is outside of the workspace." };
  }
  if (isSearch(call)) {
    const forms = searchForms(call);
    if (!allowing?.some(isBroadRule) && (!forms || !isInside(forms, call, true)))
      return { reason: "It searches outside of the workspace." };
    return forms?.some(isSecretName) && !namesExactly(allowing)
      ? { reason: "It searches in files that hold keys or passwords." }
      : undefined;
  }
  if (patternKind !== "command" || !allowing) return undefined;
  if (allowing.some(isBroadRule) || namesExactly(allowing)) return undefined;
  const { reads, writes, enters, isComplete } = lineFiles(call);
  if (!isComplete) return { reason: "It names too many files to check." };
  const secret = reads.find(({ forms = [] }) =>
    [...forms, ...forms.flatMap(hiddenForms)].some(isSecretName),
  );
  if (secret)
    return {
      reason: "It names a file of a kind that holds keys or passwords.",
      command: secret.command,
    };
  const far = [...writes, ...enters].find(({ forms }) => !forms || !isInside(forms, call, false));
  if (far)
    return {
      reason: "It changes files outside of the workspace, or works there.",
      command: far.command,
    };
  return strangeRepository(call);
}

/**
 * Git obeys the settings of its repository: those of a repository inside the workspace may be anybody's, and those of
 * the workspace's own may name programs.
 */
export function strangeRepository(call: PermissionCall): Objection | undefined {
  const git = call.possible().commands.find(([name = ""]) => commandName(name) === "git");
  if (!git) return undefined;
  const { roots = [], cwd = "/" } = call.context;
  const known = new Set([...roots, cwd]);
  const directories = call.directories();
  const entered = lineFiles(call).enters.flatMap(({ forms }) => forms ?? ["?"]);
  const isKnown =
    directories &&
    [...directories, ...entered].every((path) => known.has(path) || path === call.cwd);
  if (!isKnown)
    return { reason: "Git would obey the settings of another directory.", command: git.join(" ") };
  const reason = firstOf([...directories, ...entered], (path) => startedByGit(path, call));
  return reason === undefined ? undefined : { reason, command: git.join(" ") };
}

function startedByGit(directory: string, { context }: PermissionCall): string | undefined {
  if (!context.startsPrograms) return undefined;
  if (context.repositoryRuns) return context.repositoryRuns(directory);
  return "Git may start programs by the settings of the repository, which were not examined.";
}

/**
 * Calls that need approval after network content was read, unless a rule names the very call: requests, reads outside.
 */
export function reachesOut(
  call: PermissionCall,
  allowing: readonly string[] | undefined,
): Objection | undefined {
  if (namesExactly(allowing)) return undefined;
  const reason = "The conversation contains network content; this call could leak data.";
  const { access, patternKind } = call;
  // A rule for these names who is reached, or what is looked for.
  if (patternKind === "address" || patternKind === "query")
    return allowing?.some((rule) => !isBroadRule(rule)) ? undefined : { reason };
  if (access === "network" || access === "network-write" || access === "agent") return { reason };
  const isFile = patternKind === "path" && access === "read";
  if (isFile || isSearch(call)) {
    const forms = isFile ? formsOf(call.value ?? "", call) : searchForms(call);
    return forms && isInside(forms, call, true) ? undefined : { reason };
  }
  if (patternKind !== "command") return undefined;
  const found = call.possible().commands.find(reachesNetwork);
  return found && { reason, command: found.join(" ") };
}

/** Reports whether a path is known, in the workspace, and not secret by its name. */
export function isPlainPlace({ forms }: Pick<NamedFile, "forms">, call: PermissionCall): boolean {
  return forms !== undefined && isInside(forms, call, true) && !forms.some(isSecretName);
}

function isInside(forms: readonly string[], { context }: PermissionCall, isRead: boolean): boolean {
  const roots = [...(context.roots ?? []), ...(isRead ? (context.readableRoots ?? []) : [])];
  return forms.every((form) => roots.some((root) => isWithin(root, form)));
}

function isBroadRule(rule: string): boolean {
  const pattern = parsePattern(rule);
  return pattern !== undefined && isBroad(pattern);
}

/** Reports whether an allow rule names this very file. */
function isNamed(
  path: string,
  allowing: readonly string[] | undefined,
  call: PermissionCall,
): boolean {
  return (allowing ?? []).some((rule) => {
    const pattern = parsePattern(rule);
    return pattern?.argument !== undefined && namesPath(pattern, path, call);
  });
}

/** Reports whether the allow rules name exactly this, without a pattern. */
function namesExactly(allowing: readonly string[] | undefined): boolean {
  return (
    allowing !== undefined &&
    allowing.length > 0 &&
    allowing.every((rule) => {
      const argument = parsePattern(rule)?.argument;
      return argument !== undefined && !argument.includes("*");
    })
  );
}

function firstOf(
  paths: readonly string[],
  name: (path: string) => string | undefined,
): string | undefined {
  for (const path of paths) {
    const found = name(path);
    if (found !== undefined) return found;
  }
  return undefined;
}
