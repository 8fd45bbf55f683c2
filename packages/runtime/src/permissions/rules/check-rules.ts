import { ValidationError } from "../../errors.ts";
import { describeCall } from "../call.ts";
import { allowLine } from "../command-lines/allow-line.ts";
import { checkLists, KINDS } from "./check-lists.ts";
import { parsePattern } from "./parse-pattern.ts";
import { allowingRules, concerns } from "./pattern.ts";
import {
  type PermissionLists,
  type PlacedRule,
  type RuleExamples,
  type RuleKind,
  rulesOf,
} from "../permission.ts";

/**
 * Rejects malformed rules, which would otherwise allow nothing or forbid too much, and rules that contradict their
 * examples.
 * @throws {ValidationError} that names the rule
 */
export function checkRules(lists: PermissionLists): void {
  checkLists(lists);
  checkExamples(lists);
}

function checkExamples(lists: PermissionLists, layer?: string): void {
  for (const [rule, examples] of Object.entries(lists.examples ?? {})) {
    const { match = [], notMatch = [] } = requireExamples(examples, rule);
    const kinds = KINDS.filter((kind) =>
      rulesOf(lists, kind).some((placed) => placed.rule === rule),
    );
    if (kinds.length === 0) {
      throw new ValidationError(
        `There are examples for ${rule}, which is not a rule of these lists`,
        {
          hint: "Write the examples under the very text of the rule.",
        },
      );
    }
    for (const kind of kinds) {
      for (const example of match)
        if (!isAbout(rule, kind, example))
          throw failed({ rule, kind, layer }, example, "does not match");
      for (const example of notMatch)
        if (isAbout(rule, kind, example)) throw failed({ rule, kind, layer }, example, "matches");
    }
  }
  for (const { name, lists: inner } of lists.layers ?? []) checkExamples(inner, name);
}

/** Examples of another form would test nothing. */
function requireExamples(examples: RuleExamples, rule: string): RuleExamples {
  const { match = [], notMatch = [], ...others } = Object(examples) as RuleExamples;
  const isText = (value: unknown): boolean => typeof value === "string";
  const isList = (values: unknown): boolean => Array.isArray(values) && values.every(isText);
  const isSound = typeof examples === "object" && [match, notMatch].every(isList);
  if (isSound && Object.keys(others).length === 0) return examples;
  throw new ValidationError(`The examples for ${rule} are not lists of calls`, {
    hint: 'Write { match: ["npm test"], notMatch: ["npm publish"] }.',
  });
}

/** Reports whether a rule, alone, decides on a call given by the argument its tool is matched by. */
function isAbout(rule: string, kind: RuleKind, example: string): boolean {
  const tool = parsePattern(rule)?.tool ?? "";
  const { patternArgument = "value" } = describeCall(tool, {});
  const call = describeCall(tool, { [patternArgument]: example }, { patternArgument });
  if (kind !== "allow") return concerns(rule, call) !== undefined;
  const allowing =
    call.patternKind === "command"
      ? allowLine([rule], call, "plan", false)
      : allowingRules([rule], call);
  return allowing !== undefined;
}

function failed(
  { rule, kind, layer }: PlacedRule & { kind: RuleKind },
  example: string,
  how: string,
): ValidationError {
  const place = layer === undefined ? "" : ` of ${layer}`;
  return new ValidationError(
    `The rule ${rule} in "${kind}"${place} ${how} its example ${JSON.stringify(example)}`,
    {
      hint: "Change the rule until its examples hold, or the example when it asks for too much.",
    },
  );
}
