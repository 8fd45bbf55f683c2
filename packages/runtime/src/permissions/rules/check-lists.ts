import { ValidationError } from "../../errors.ts";
import { parsePattern } from "./parse-pattern.ts";
import { type PermissionLists, type RuleKind, rulesOf } from "../permission.ts";
import { builtInMeant } from "./tool-names.ts";

export const KINDS: readonly RuleKind[] = ["deny", "ask", "allow"];

/**
 * Rejects lists of another form, such as one text instead of a list, or a misspelt name: their rules would not be in force.
 * @param layer the layer that they are from
 * @throws {ValidationError} that names the list or the rule, and its layer
 */
export function checkForm(lists: PermissionLists, layer?: string): void {
  if (typeof lists !== "object" || lists === null)
    throw notRules(layer === undefined ? "permissions" : "lists", layer);
  for (const [name, rules] of Object.entries(lists)) {
    if (rules === undefined || name === "examples") continue;
    const isKnown = name === "layers" || KINDS.some((kind) => kind === name);
    if (!isKnown || !Array.isArray(rules)) throw notRules(name, layer);
  }
  for (const kind of KINDS)
    for (const rule of lists[kind] ?? [])
      if (typeof rule !== "string") throw notRule(rule, kind, layer);
  lists.layers?.forEach((inner, index) =>
    checkForm(inner?.lists, inner?.name ?? `layers.${index}`),
  );
}

/**
 * Rejects malformed rules, which would otherwise allow nothing or forbid too much. Examples are left to `checkRules`,
 * which has to load the whole command line parser.
 * @throws {ValidationError} that names the list or the rule
 */
export function checkLists(lists: PermissionLists): void {
  checkForm(lists);
  for (const kind of KINDS) {
    for (const { rule, layer } of rulesOf(lists, kind))
      if (!parsePattern(rule)) throw notRule(rule, kind, layer);
  }
}

/**
 * Fails when a rule that a program itself gives names a built-in tool in other letters, as `bash(rm *)` does: it would forbid
 * nothing. Rules of layers, which people write into files, are warned of instead. `tools`: the names of the tools there are.
 * @throws {ValidationError} that names the rule
 */
export function checkToolNames(lists: PermissionLists, tools: readonly string[]): void {
  for (const rule of KINDS.flatMap((kind) => lists[kind] ?? [])) {
    const { tool = "" } = parsePattern(rule) ?? {};
    const meant = tools.includes(tool) ? undefined : builtInMeant(tool);
    if (meant === undefined) continue;
    throw new ValidationError(`The rule ${rule} fits no call: no tool is called ${tool}`, {
      hint: `Write ${meant}${rule.trim().slice(tool.length)}.`,
    });
  }
}

function notRules(list: string, layer: string | undefined): ValidationError {
  return new ValidationError(`"${list}"${placeOf(layer)} is not a list of permission rules`, {
    hint: "Give lists of rules: { allow: [], ask: [], deny: [] }.",
  });
}

function notRule(rule: unknown, kind: RuleKind, layer: string | undefined): ValidationError {
  return new ValidationError(
    `${JSON.stringify(rule) ?? typeof rule} in "${kind}"${placeOf(layer)} is not a permission rule`,
    {
      hint: "Write Tool or Tool(pattern), such as Read, Bash(npm test), Write(/src/**) or mcp__server__*.",
    },
  );
}

function placeOf(layer: string | undefined): string {
  return layer === undefined ? "" : ` of ${layer}`;
}
