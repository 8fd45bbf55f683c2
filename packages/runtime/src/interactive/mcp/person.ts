import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from "@modelcontextprotocol/client";
import { defined } from "../../defined.ts";
import { visible } from "../../mcp/server-tool.ts";
import type { JsonObject, JsonValue } from "../../messages/message.ts";
import type { ConfigureContext } from "../../session/configuration.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { validateArgs } from "../../tools/validate-args.ts";
import { isObject } from "../settings/settings-object.ts";

const MAX_TEXT = 4_000;
const MAX_FIELDS = 40_000;
/** Answers that don't fit the question, before it counts as declined. */
const MAX_ATTEMPTS = 3;
/** Tokens of one answer of the model for a server. */
const MAX_SAMPLED = 4_096;

/** The session's people, for a server's questions during a call. */
export interface AskedFor {
  server: string;
  context: ToolContext;
  delegate: ConfigureContext["delegate"];
}

type Question = Parameters<Awaited<ReturnType<ConfigureContext["delegate"]>>["ask"]>[0];

/** Asks whoever approves the session's calls; a yes with changed arguments carries these. */
export async function askPerson(
  { server, context, delegate }: AskedFor,
  question: Question,
): Promise<{ allow: boolean; by: string; updatedArgs?: JsonObject | undefined }> {
  const delegation = await delegate(context, { id: `mcp-${server}`, type: "mcp" });
  const { allow, by, updatedArgs } = await delegation.ask(question);
  return { allow, by, updatedArgs: updatedArgs as JsonObject | undefined };
}

/**
 * Puts a server's question to a person as a permission request. The answer is in `updatedArgs.answer`; a yes without it
 * takes the defaults; where they leave a required field open, it is declined, and the call's output says what is missing.
 * Where nobody can answer, it is declined.
 */
export async function elicit(asked: AskedFor, params: ElicitRequestParams): Promise<ElicitResult> {
  const message = text(params.message);
  if ("url" in params) {
    const url = URL.parse(params.url);
    // An address of another kind could run something when a person opens it.
    if (!url || !/^https?:$/.test(url.protocol)) return { action: "decline" };
    return actionOf(await put(asked, { message, url: url.href }, "asks to open an address"));
  }
  const schema = JSON.parse(JSON.stringify(params.requestedSchema)) as JsonObject;
  let answer = defaultsOf(schema);
  const { required } = schema;
  let problems: readonly string[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const fields = fieldsOf(schema);
    const record = await put(
      asked,
      defined({
        message,
        fields,
        answer,
        required: Array.isArray(required) && required.length > 0 ? required : undefined,
        problems: problems.length > 0 ? [...problems] : undefined,
      }),
      "asks for input",
    );
    if (!record.allow) return actionOf(record);
    const given = record.updatedArgs?.["answer"];
    const isBareYes = !isObject(given);
    if (isObject(given)) answer = withoutNulls(given as JsonObject);
    const checked = await validateArgs({ parameters: schema }, withoutNulls(answer));
    if (checked.ok) return { action: "accept", content: checked.args as Content };
    problems = checked.problems;
    if (isBareYes) {
      // Whoever allows without an answer would only do so again.
      const missing = visible(problems.join("; "));
      asked.context.emit({ text: `${asked.server} got no answer: ${missing}\n` });
      break;
    }
  }
  return { action: "decline" };
}

type Content = NonNullable<ElicitResult["content"]>;

function put(asked: AskedFor, args: JsonObject, what: string): ReturnType<typeof askPerson> {
  const { server } = asked;
  const reason = `The MCP server ${server} ${what}.`;
  return askPerson(asked, { tool: `mcp__${server}__elicitation`, args, reason });
}

function actionOf({ allow, by }: { allow: boolean; by: string }): ElicitResult {
  if (allow) return { action: "accept" };
  return { action: by === "abort" ? "cancel" : "decline" };
}

/** Asks the session's model for a server: within the turn's budget, and counted with it. */
export async function sample(
  { context }: Pick<AskedFor, "context">,
  { messages, systemPrompt, maxTokens }: CreateMessageRequestParams,
): Promise<CreateMessageResult> {
  if (!context.ask) throw new Error("The session has no model to ask");
  const prompt = messages
    .map(({ role, content }) => {
      const parts = [content].flat();
      const words = parts.map((part) => ("text" in part ? text(part.text) : `(${part.type})`));
      return messages.length === 1 ? words.join("\n") : `${role}: ${words.join("\n")}`;
    })
    .join("\n\n");
  const answer = await context.ask({
    prompt,
    systemMessage: systemPrompt,
    maxTokens: Math.min(maxTokens, MAX_SAMPLED),
  });
  return {
    role: "assistant",
    model: answer.model ?? "session",
    content: { type: "text", text: answer.text },
    stopReason: answer.isWhole ? "endTurn" : "maxTokens",
  };
}

/** The form for a person: titles, kinds and choices of the fields. */
function fieldsOf(schema: JsonObject): JsonObject {
  const { properties } = schema;
  const fields = visible(JSON.stringify(properties ?? {}));
  return fields.length > MAX_FIELDS ? {} : (JSON.parse(fields) as JsonObject);
}

function defaultsOf({ properties }: JsonObject): JsonObject {
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]): [string, JsonValue] => [
      name,
      isObject(field) && field["default"] !== undefined ? (field["default"] as JsonValue) : null,
    ]),
  );
}

function withoutNulls(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
}

function text(words: string): string {
  return visible(words).slice(0, MAX_TEXT);
}
