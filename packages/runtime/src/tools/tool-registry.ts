import { ConfigurationError, ValidationError } from "../errors.ts";
import type { JsonValue } from "../messages/message.ts";
import { nameHint } from "../messages/near-names.ts";
import { TOOL_NAME } from "./tool-name.ts";
import { NAMED_SCHEMA_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS } from "./schema-keywords.ts";
import type { Tool } from "./tool.ts";

const JSON_TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"];

type ToolDescription = Pick<Tool, "name" | "description" | "parameters">;

/**
 * Tools by their names, checked when they come in rather than when a model calls them. `new Robota({ tools:
 * registry.list() })` offers them to an agent.
 */
export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  constructor(tools: Iterable<Tool> = []) {
    for (const tool of tools) this.register(tool);
  }

  /**
   * @throws {ValidationError} when providers would reject the tool, with all problems
   * @throws {ConfigurationError} when the name is taken
   */
  register(tool: Tool): this {
    const problems = toolProblems(tool);
    if (problems.length > 0) {
      throw new ValidationError(
        `The tool "${tool.name}" can't be registered: ${problems.join("; ")}`,
        {
          hint: "A tool has a name of letters, digits, _ and -, a description, and `parameters` as the JSON Schema of an object.",
        },
      );
    }
    if (this.#tools.has(tool.name)) {
      throw new ConfigurationError(`There is a tool "${tool.name}" already`, {
        hint: "Give the tool another name, or unregister the first one.",
      });
    }
    this.#tools.set(tool.name, tool);
    return this;
  }

  /** Returns whether it was registered. */
  unregister(name: string): boolean {
    return this.#tools.delete(name);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** @throws {ConfigurationError} for an unknown name; the hint has similar ones */
  lookup(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool) return tool;
    throw new ConfigurationError(`There is no tool "${name}"`, {
      hint: nameHint(name, this.#tools.keys()),
    });
  }

  /** Tools in the order of registration. */
  list(): Tool[] {
    return [...this.#tools.values()];
  }

  /** The definitions for a provider. */
  schemas(): ToolDescription[] {
    return this.list().map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
  }
}

/** Reasons why providers would reject a tool; empty for a valid one. */
export function toolProblems({ name, description, parameters }: ToolDescription): string[] {
  const problems: string[] = [];
  if (typeof name !== "string" || !TOOL_NAME.test(name))
    problems.push("its name is not 1 to 64 letters, digits, _ or -");
  if (typeof description !== "string" || description.trim() === "")
    problems.push("it has no description");
  if (!isRecord(parameters)) return [...problems, "parameters: not an object"];
  if (parameters["type"] !== "object") problems.push('parameters: type is not "object"');
  const { properties = {}, required = [] } = parameters;
  if (isRecord(properties) && Array.isArray(required)) {
    for (const key of required) {
      if (typeof key === "string" && !Object.hasOwn(properties, key))
        problems.push(`parameters: "${key}" is required but not among the properties`);
    }
  }
  problems.push(...schemaProblems(parameters, "parameters"));
  return problems;
}

function schemaProblems(schema: unknown, place: string): string[] {
  // `true` and `false` are schemas: anything, and nothing.
  if (typeof schema === "boolean") return [];
  if (!isRecord(schema)) return [`${place}: not a schema`];
  const problems: string[] = [];
  const { type, required } = schema;
  for (const name of type === undefined ? [] : [type].flat()) {
    if (typeof name !== "string" || !JSON_TYPES.includes(name))
      problems.push(`${place}: ${JSON.stringify(name)} is not a JSON type`);
  }
  if (required !== undefined && !isListOfText(required))
    problems.push(`${place}/required: not a list of names`);
  for (const key of SCHEMA_KEYWORDS) {
    if (schema[key] !== undefined) problems.push(...schemaProblems(schema[key], `${place}/${key}`));
  }
  for (const key of SCHEMA_LIST_KEYWORDS)
    problems.push(...listProblems(schema[key], `${place}/${key}`));
  for (const key of NAMED_SCHEMA_KEYWORDS)
    problems.push(...namedProblems(schema[key], `${place}/${key}`));
  return problems;
}

function listProblems(list: JsonValue | undefined, place: string): string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`${place}: not a list of schemas`];
  return list.flatMap((schema, index) => schemaProblems(schema, `${place}/${index}`));
}

function namedProblems(named: JsonValue | undefined, place: string): string[] {
  if (named === undefined) return [];
  if (!isRecord(named)) return [`${place}: not an object`];
  return Object.entries(named).flatMap(([key, schema]) =>
    schemaProblems(schema, `${place}/${key}`),
  );
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isRecord(value: unknown): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
