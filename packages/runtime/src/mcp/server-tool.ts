import { sha256 } from "../digest.ts";
import { fittingToolName } from "../fitting-name.ts";
import type { Content, JsonObject, JsonValue, Part } from "../messages/message.ts";
import type { ToolErrorCode } from "../messages/tool-error-code.ts";
import type { Tool, ToolAccess, ToolContext, ToolResult } from "../tools/tool.ts";
import { validateArgs } from "../tools/validate-args.ts";

/** By the protocol. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA_LENGTH = 100_000;
const MAX_DEPTH = 32;
/** Problems of a result that a model is shown. */
const MAX_PROBLEMS = 5;
const MCP_ERROR = "mcp_error" satisfies ToolErrorCode;

/**
 * Characters that change how a text reads to a person, or carry text no person sees: controls other than line breaks,
 * marks that hide or reorder text, fillers, variation selectors, private use, lone surrogates.
 */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A tool's complete definition by its server. */
export interface ServerTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  [field: string]: unknown;
}

export interface ServerResult {
  content?: readonly ServerContent[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

type ServerContent = { type: string } & Record<string, unknown>;

/** Returns why a tool can't be offered, for a person; `undefined` when it can. */
export function unusable({ name, inputSchema }: ServerTool): string | undefined {
  if (!TOOL_NAME.test(name)) return "its name is not 1 to 128 letters, digits, _, . or -";
  const schema = JSON.stringify(inputSchema);
  if (schema.length > MAX_SCHEMA_LENGTH)
    return `its schema has over ${MAX_SCHEMA_LENGTH} characters`;
  return depthOf(inputSchema) > MAX_DEPTH
    ? `its schema is over ${MAX_DEPTH} levels deep`
    : undefined;
}

/**
 * SHA-256 of a tool's whole definition, independent of the order of fields. A description alone would miss text hidden
 * in a schema, a title or an annotation.
 */
export function pinOf(tool: ServerTool): Promise<string> {
  return sha256(JSON.stringify(sorted(tool)));
}

/** The name by which a model calls a server's tool: services take fewer characters than the protocol, and shorter names. */
export function calledName(server: string, tool: string): string {
  return fittingToolName(`mcp__${server}__${tool}`);
}

export function asTool(
  server: string,
  tool: ServerTool,
  call: (args: Record<string, unknown>, context: ToolContext) => Promise<ServerResult>,
): Tool {
  return {
    name: calledName(server, tool.name),
    description: visible(tool.description ?? "").slice(0, MAX_DESCRIPTION),
    parameters: withVisibleTexts(JSON.parse(JSON.stringify(tool.inputSchema)) as JsonObject),
    access: accessOf(tool),
    execute: async (args, context) => {
      const result = await call(args, context);
      const problems = await outputProblems(tool, result);
      return problems === undefined ? resultOf(result) : failed(tool.name, problems);
    },
  };
}

/** Reads a server's hints, which count only against its tool: no tool is trusted to change nothing. */
function accessOf({ annotations }: ServerTool): ToolAccess {
  if (!isObject(annotations)) return "network";
  const { readOnlyHint, destructiveHint } = annotations;
  return readOnlyHint === false || destructiveHint === true ? "network-write" : "network";
}

/** The schema of a tool's arguments, which the protocol has be of an object. */
export function inputOf({ inputSchema }: ServerTool): { type: "object" } & Record<string, unknown> {
  return { ...inputSchema, type: "object" };
}

/**
 * Violations by a structured result of the schema that its tool promised, found in time linear in the result;
 * `undefined` when there are none.
 */
async function outputProblems(
  { outputSchema }: ServerTool,
  { structuredContent, isError }: ServerResult,
): Promise<readonly string[] | undefined> {
  if (!isObject(outputSchema) || isError) return undefined;
  if (!isObject(structuredContent)) return ["/: structured content is required"];
  const checked = await validateArgs({ parameters: outputSchema }, structuredContent);
  return checked.ok ? undefined : checked.problems;
}

function failed(name: string, problems: readonly string[]): ToolResult {
  const error = `The result of ${name} breaks the schema that its server promised`;
  const output = [error, ...problems.slice(0, MAX_PROBLEMS)].map(visible).join("\n- ");
  return { success: false, output, error, errorCode: MCP_ERROR };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function resultOf({
  content = [],
  structuredContent,
  isError = false,
}: ServerResult): ToolResult {
  const parts = content.map(asPart);
  const isText = parts.every((part) => part.type === "text");
  const output: Content = isText
    ? parts.map((part) => ("text" in part ? part.text : "")).join("\n")
    : parts;
  const result: ToolResult = { success: !isError, output };
  if (isError) result.errorCode = MCP_ERROR;
  if (structuredContent !== undefined) result.data = structuredContent as JsonValue;
  return result;
}

function asPart(content: ServerContent): Part {
  const { type, text, data, mimeType } = content;
  if (type === "text" && typeof text === "string") return { type: "text", text: visible(text) };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    return { type: "image", data, mediaType: mimeType };
  }
  const resource = isObject(content.resource) ? content.resource : undefined;
  return resource
    ? resourcePart(resource)
    : { type: "text", text: visible(JSON.stringify(content)) };
}

/** An embedded resource: its text, its image, or what it is. */
function resourcePart({ uri, text, blob, mimeType }: JsonObject): Part {
  if (typeof text === "string") return { type: "text", text: visible(text) };
  if (typeof blob === "string" && typeof mimeType === "string" && mimeType.startsWith("image/"))
    return { type: "image", data: blob, mediaType: mimeType };
  const characters = typeof blob === "string" ? blob.length : 0;
  return { type: "text", text: visible(JSON.stringify({ uri, mimeType, characters })) };
}

/** The text without what no person sees. */
export function visible(text: string): string {
  return text.replace(UNSEEN, "");
}

/** The same schema, where no text that a model or a person reads hides anything. */
function withVisibleTexts<Value extends JsonValue>(value: Value): Value {
  if (typeof value === "string") return visible(value) as Value;
  if (Array.isArray(value)) return value.map(withVisibleTexts) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    visible(key),
    withVisibleTexts(inner),
  ]);
  return Object.fromEntries(entries) as Value;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    sorted(inner),
  ]);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
