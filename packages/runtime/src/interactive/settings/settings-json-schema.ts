import * as z from "../../zod.ts";
import type { JsonObject, JsonValue } from "../../messages/message.ts";
import { SETTINGS } from "./settings-schema.ts";

/**
 * The JSON Schema of a settings file, for editors. Parts that it leaves open, such as hooks and rules, are validated by
 * the reader.
 */
export function settingsJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(SETTINGS, { unrepresentable: "any", io: "input" });
  const { "~standard": _, properties, ...plain } = schema;
  const described = withDescriptions((properties ?? {}) as JsonObject, "");
  return { title: "Settings of Robota", ...plain, properties: described } as JsonObject;
}

/** A setting's purpose, and its default where it has one. */
interface Description {
  description: string;
  default?: JsonValue;
}

/** Every setting that editors know, by its path. */
const DESCRIPTIONS: Readonly<Record<string, Description>> = {
  language: {
    description: "Language of the agent's answers, such as German or pt-BR; any when omitted.",
  },
  defaultTrustLevel: {
    description:
      "The mode of new sessions by a descriptive name: safe is plan, moderate is default, full is acceptEdits.",
    default: "moderate",
  },
  permissions: { description: "Rules for tool calls, and the mode of new sessions.", default: {} },
  "permissions.allow": {
    description: "Calls that run without approval, such as Bash(npm test).",
    default: [],
  },
  "permissions.ask": { description: "Calls that always need approval.", default: [] },
  "permissions.deny": {
    description: "Calls that never run. No other layer can lift a rule.",
    default: [],
  },
  "permissions.examples": {
    description: "Calls that a rule must match and must not match, by rule.",
    default: {},
  },
  "permissions.defaultMode": {
    description: "The mode of new sessions; counts before defaultTrustLevel.",
    default: "default",
  },
  readOnlyCommands: {
    description:
      "Lets commands that provably only read the workspace run without a rule; false in any layer counts.",
    default: true,
  },
  hooks: { description: "Hooks by event, such as PreToolUse.", default: {} },
  hookOrigins: {
    description: "Private origins that http hooks may reach, such as http://127.0.0.1:9000.",
    default: [],
  },
  maxTurns: {
    description: "Tool rounds after which the final answer is requested; 0 for no limit.",
    default: 0,
  },
  autoCompactThreshold: {
    description:
      "Share of the context window above which a session compacts by itself; false for never.",
    default: 0.835,
  },
  provider: { description: "The model to use, for programs that choose one.", default: {} },
  "provider.name": { description: "Name of the provider, such as anthropic." },
  "provider.model": { description: "Id of the model." },
  "provider.apiKey": { description: "Key of the service, best as $ENV:NAME." },
  "provider.baseURL": { description: "Address of the service." },
  skills: {
    description: "Skills from addresses, each with the SHA-256 of its content.",
    default: [],
  },
  agentDepth: {
    description: "Levels of agents below a session: with 1, an agent starts none of its own.",
    default: 1,
  },
  projectAgents: {
    description: "replace: agents of trusted projects keep their names and override others.",
    default: "prefix",
  },
  mcpServers: {
    description: "MCP servers by name: a url, or a command to run.",
    default: {},
  },
};

function withDescriptions(properties: JsonObject, path: string): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]): [string, JsonValue] => {
      const place = `${path}${name}`;
      if (!isJsonObject(schema)) return [name, schema];
      const inner = isJsonObject(schema["properties"])
        ? { properties: withDescriptions(schema["properties"], `${place}.`) }
        : {};
      return [name, { ...DESCRIPTIONS[place], ...schema, ...inner }];
    }),
  );
}

function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
