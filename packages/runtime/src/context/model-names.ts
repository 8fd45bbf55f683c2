import { CLAUDE_MODELS, OPENAI_MODELS } from "./models.ts";

/** The newest model of each family in the catalog. */
const SHORTCUTS: Readonly<Record<string, string>> = {
  opus: "claude-opus-5",
  sonnet: "claude-sonnet-5",
  haiku: "claude-haiku-4-5",
};

/** Expands a short model name, such as `opus`, to the id of the newest model of its family; any other name is unchanged. */
export function expandModel(name: string): string {
  return Object.hasOwn(SHORTCUTS, name) ? (SHORTCUTS[name] ?? name) : name;
}

/** True when the catalog knows both models, as models of different services. */
export function areOfDifferentServices(one: string, other: string): boolean {
  const catalogs = [CLAUDE_MODELS, OPENAI_MODELS];
  const [first, second] = [one, other].map((id) =>
    catalogs.find((models) => Object.hasOwn(models, id)),
  );
  return first !== undefined && second !== undefined && first !== second;
}
