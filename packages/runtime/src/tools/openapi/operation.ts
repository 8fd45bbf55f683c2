import type { JsonObject, JsonValue } from "../../messages/message.ts";
import { TOOL_NAME } from "../tool-name.ts";
import { follow, isRecord, list, record, text } from "./document.ts";
import { copySchemas, type SchemaCopies } from "./schema.ts";
import type { ValueStyle } from "./serialize.ts";

/** Methods without TRACE, which `fetch` refuses everywhere. */
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"];
const WITHOUT_BODY = ["get", "head"];
const PLACES = ["path", "query", "header", "cookie"] as const;
/** Headers that OpenAPI itself says parameters can't describe. */
const OWN_HEADERS = ["accept", "content-type", "authorization"];
const NAME_LENGTH = 64;
const MAX_DESCRIPTION = 4000;
/** Controls other than line breaks, and characters that hide or reorder text for a reader. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}]/gu;

export type ParameterPlace = (typeof PLACES)[number];

export interface OperationParameter extends ValueStyle {
  in: ParameterPlace;
  /** Name of the argument that the model gives. */
  argument: string;
}

export interface OperationBody {
  mediaType: string;
  form: "json" | "urlencoded" | "multipart" | "text";
  argument: string;
  /** Encodings of a form's fields. */
  encoding: JsonObject;
}

/** One callable operation of a document. */
export interface DocumentOperation {
  /** Unique among the document's tools, and fit for every provider. */
  name: string;
  operationId?: string | undefined;
  method: string;
  /** Path template with `{names}`. */
  path: string;
  description: string;
  tags: string[];
  /** JSON Schema of the arguments. */
  argumentsSchema: JsonObject;
  parameters: OperationParameter[];
  body?: OperationBody;
  servers: JsonObject[];
  /** Alternatives, one of which is required. Empty without security. */
  security: JsonObject[];
}

/** An operation that can't be offered, with the reason. */
export interface SkippedOperation {
  method: string;
  path: string;
  operationId?: string | undefined;
  reason: string;
}

export interface Credential {
  in: ParameterPlace;
  name: string;
}

/** Every operation of a document. `hidden`: parameters that carry credentials, which models never fill in. */
export function operationsOf(
  document: JsonObject,
  hidden: readonly Credential[],
  prefix = "",
): { operations: DocumentOperation[]; skipped: SkippedOperation[] } {
  const operations: DocumentOperation[] = [];
  const skipped: SkippedOperation[] = [];
  const names = new Set<string>();
  for (const [path, value] of Object.entries(record(document["paths"]))) {
    const item = follow(document, value);
    for (const method of METHODS) {
      const described = item[method];
      if (!isRecord(described)) continue;
      const identity = { method: method.toUpperCase(), path, ...idOf(described) };
      const body = bodyOf(document, described, method);
      if (body === "unsupported") {
        skipped.push({ ...identity, reason: "its body is of no media type that can be sent" });
        continue;
      }
      const servers = [described["servers"], item["servers"], document["servers"]];
      operations.push({
        ...identity,
        name: uniqueName(identity, prefix, names),
        description: descriptionOf(described, identity),
        tags: list(described["tags"]).map(text),
        servers: list(servers.find((list) => Array.isArray(list) && list.length > 0)).filter(
          isRecord,
        ),
        security: list(described["security"] ?? document["security"]).filter(isRecord),
        ...argumentsOf(document, [item["parameters"], described["parameters"]], body, hidden),
      });
    }
  }
  return { operations, skipped };
}

interface DescribedBody {
  mediaType: string;
  form: OperationBody["form"];
  schema: JsonValue | undefined;
  encoding: JsonObject;
  description: string;
  required: boolean;
}

function argumentsOf(
  document: JsonObject,
  lists: readonly (JsonValue | undefined)[],
  body: DescribedBody | undefined,
  hidden: readonly Credential[],
): Pick<DocumentOperation, "argumentsSchema" | "parameters" | "body"> {
  const schemas = copySchemas(document);
  const properties: JsonObject = {};
  const required: string[] = [];
  const add = (argument: string, schema: JsonValue, isRequired: boolean): void => {
    properties[argument] = schema;
    if (isRequired) required.push(argument);
  };

  const given = parametersOf(document, lists).filter((parameter) => !isHidden(parameter, hidden));
  const taken = new Set(body ? ["body"] : []);
  const parameters = given.map((parameter): OperationParameter => {
    const argument = freeArgument(text(parameter["name"]), text(parameter["in"]), taken);
    const described = style(parameter, argument);
    add(
      argument,
      parameterSchema(parameter, schemas),
      parameter["required"] === true || described.in === "path",
    );
    return described;
  });
  const plan: Pick<DocumentOperation, "argumentsSchema" | "parameters" | "body"> = {
    argumentsSchema: { type: "object", properties, additionalProperties: false },
    parameters,
  };
  if (body) {
    const { mediaType, form, encoding } = body;
    add("body", withDescription(schemas.copy(body.schema), body.description), body.required);
    plan.body = { mediaType, form, encoding, argument: "body" };
  }
  if (required.length > 0) plan.argumentsSchema["required"] = required;
  if (Object.keys(schemas.defs).length > 0) plan.argumentsSchema["$defs"] = schemas.defs;
  return plan;
}

/** The parameters of a path and of its operation, which override those of the same name and place. */
function parametersOf(
  document: JsonObject,
  lists: readonly (JsonValue | undefined)[],
): JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const value of lists.flatMap(list)) {
    const parameter = follow(document, value);
    const place = PLACES.find((name) => name === parameter["in"]);
    const name = text(parameter["name"]);
    if (!place || name === "") continue;
    if (place === "header" && OWN_HEADERS.includes(name.toLowerCase())) continue;
    found.set(`${place} ${name}`, parameter);
  }
  return PLACES.flatMap((place) => [...found.values()].filter((one) => one["in"] === place));
}

function isHidden(parameter: JsonObject, hidden: readonly Credential[]): boolean {
  const name = text(parameter["name"]);
  return hidden.some(
    (one) =>
      one.in === parameter["in"] &&
      (one.in === "header" ? one.name.toLowerCase() === name.toLowerCase() : one.name === name),
  );
}

/** A valid, unique argument name: parameters of different places may share theirs. */
function freeArgument(name: string, place: string, taken: Set<string>): string {
  const base = name.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, NAME_LENGTH - 10);
  const candidates = [base, `${place}_${base}`];
  for (let number = 2; candidates.every((candidate) => taken.has(candidate)); number++)
    candidates.push(`${place}_${base}_${number}`);
  const argument = candidates.find((candidate) => !taken.has(candidate)) ?? base;
  taken.add(argument);
  return argument;
}

function style(parameter: JsonObject, argument: string): OperationParameter {
  const place = PLACES.find((name) => name === parameter["in"]) ?? "query";
  const usual = place === "query" || place === "cookie" ? "form" : "simple";
  const chosen = text(parameter["style"]) || usual;
  const { explode } = parameter;
  return {
    in: place,
    argument,
    name: text(parameter["name"]),
    style: chosen,
    explode: typeof explode === "boolean" ? explode : chosen === "form",
    allowReserved: parameter["allowReserved"] === true,
    json: Object.keys(record(parameter["content"])).some(isJson),
  };
}

function parameterSchema(parameter: JsonObject, schemas: SchemaCopies): JsonValue {
  const [media] = Object.values(record(parameter["content"]));
  const schema = schemas.copy(parameter["schema"] ?? record(media)["schema"]);
  return withDescription(schema, text(parameter["description"]));
}

function withDescription(schema: JsonValue, description: string): JsonValue {
  if (description === "" || !isRecord(schema)) return schema;
  return { ...schema, description: readable(description) };
}

function bodyOf(
  document: JsonObject,
  described: JsonObject,
  method: string,
): DescribedBody | "unsupported" | undefined {
  if (described["requestBody"] === undefined || WITHOUT_BODY.includes(method)) return undefined;
  const body = follow(document, described["requestBody"]);
  const content = Object.entries(record(body["content"]));
  const forms: [OperationBody["form"], (mediaType: string) => boolean][] = [
    ["json", isJson],
    ["urlencoded", (mediaType) => mediaType.startsWith("application/x-www-form-urlencoded")],
    ["multipart", (mediaType) => mediaType.startsWith("multipart/form-data")],
    ["text", (mediaType) => mediaType.startsWith("text/")],
  ];
  for (const [form, matches] of forms) {
    const found = content.find(([mediaType]) => matches(mediaType.toLowerCase()));
    if (!found) continue;
    const [mediaType, media] = found;
    const { schema, encoding } = follow(document, media);
    return {
      // `application/*` and the like are ranges; a concrete type must be sent.
      mediaType: mediaType.includes("*") ? "application/json" : mediaType,
      form,
      schema: schema ?? (form === "text" ? { type: "string" } : undefined),
      encoding: record(encoding),
      description: text(body["description"]),
      required: body["required"] === true,
    };
  }
  return body["required"] === true ? "unsupported" : undefined;
}

function isJson(mediaType: string): boolean {
  return /^(?:application\/json|[\w.+-]+\/[\w.+-]*\+json|application\/\*|\*\/\*)(?:\s*;|$)/i.test(
    mediaType,
  );
}

function idOf({ operationId }: JsonObject): { operationId?: string } {
  return typeof operationId === "string" && operationId !== "" ? { operationId } : {};
}

/**
 * A tool name from the operation's id, or from its method and path: letters, digits, `_` and `-`, at most 64, unique.
 */
function uniqueName(
  { operationId, method, path }: Pick<DocumentOperation, "operationId" | "method" | "path">,
  prefix: string,
  taken: Set<string>,
): string {
  const wanted = prefix + (operationId ?? `${method.toLowerCase()}${path}`);
  const fit = wanted.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^_+|_+$/g, "");
  const base = TOOL_NAME.test(fit) ? fit : fit.slice(0, NAME_LENGTH) || method.toLowerCase();
  let name = base;
  for (let number = 2; taken.has(name); number++) {
    const end = `_${number}`;
    name = base.slice(0, NAME_LENGTH - end.length) + end;
  }
  taken.add(name);
  return name;
}

function descriptionOf(
  described: JsonObject,
  { method, path }: Pick<DocumentOperation, "method" | "path">,
): string {
  const { summary, description, deprecated } = described;
  const words = [
    ...(deprecated === true ? ["Deprecated."] : []),
    text(summary).trim(),
    text(description).trim(),
    `(${method} ${path})`,
  ];
  return readable(words.filter((part) => part !== "").join("\n"));
}

function readable(words: string): string {
  return words.replaceAll(UNSEEN, "").slice(0, MAX_DESCRIPTION).toWellFormed();
}
