/**
 * Documented rules of the services about the order of a conversation: Anthropic's Messages API and OpenAI's Chat
 * Completions and Responses APIs. Each function returns the first rule that a request breaks.
 */
type Json = Record<string, unknown>;

const CALL_ID = /^[a-zA-Z0-9_-]+$/;

/** https://docs.claude.com/en/api/messages */
export function messagesProblem(request: Json): string | undefined {
  const turns = objects(request["messages"]);
  if (turns.length === 0) return "no messages";
  if (turns[0]?.["role"] !== "user") return "the first message is not the user's";
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, { role, content }] of turns.entries()) {
    if (role !== "user" && role !== "assistant") return `the role ${String(role)}`;
    if (role === turns[index - 1]?.["role"]) return "two turns of one side";
    const blocks = objects(content);
    if (blocks.length === 0) return `an empty message ${index}`;
    const results = blocks.filter(({ type }) => type === "tool_result");
    const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
    if (role === "assistant" && results.length > 0) return "a result that the model gives";
    if (firstOther >= 0 && firstOther < results.length) return "a result behind other blocks";
    const ids = results.map(({ tool_use_id }) => String(tool_use_id));
    if (ids.some((id) => !open.includes(id))) return "a result without a call";
    if (new Set(ids).size !== ids.length) return "two results of a call";
    if (open.some((id) => !ids.includes(id))) return "a call without a result";
    open = [];
    for (const block of blocks) {
      if (block["type"] === "text" && String(block["text"]).trim() === "") return "an empty text";
      if (block["type"] !== "tool_use") continue;
      const id = String(block["id"]);
      if (role !== "assistant") return "a call that the user makes";
      if (seen.has(id)) return `the call ${id} twice`;
      if (!CALL_ID.test(id)) return `the id ${id}`;
      if (typeof block["input"] !== "object" || block["input"] === null)
        return "a call without input";
      seen.add(id);
      open.push(id);
    }
  }
  return open.length > 0 ? "a call without a result at the end" : illFormed(request);
}

/** https://platform.openai.com/docs/api-reference/chat */
export function chatProblem(request: Json): string | undefined {
  const messages = objects(request["messages"]);
  if (messages.length === 0) return "no messages";
  let open: string[] = [];
  for (const { role, content, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === "tool") {
      if (!open.includes(String(id))) return "a result without a call";
      open = open.filter((other) => other !== id);
      if (content === null || content === undefined) return "a result without content";
      continue;
    }
    if (open.length > 0) return "a call without a result";
    if (!["system", "developer", "user", "assistant"].includes(String(role)))
      return `the role ${String(role)}`;
    const list = calls === undefined ? undefined : objects(calls);
    if (list?.length === 0) return "an empty list of calls";
    if (!list && (content === null || content === undefined || isEmpty(content)))
      return `an empty message of ${String(role)}`;
    for (const call of list ?? []) {
      const [called] = objects([call["function"]]);
      if (!isJson(called?.["arguments"])) return "arguments that are not JSON";
      if (open.includes(String(call["id"]))) return "a call twice";
      open.push(String(call["id"]));
    }
  }
  return open.length > 0 ? "a call without a result at the end" : illFormed(request);
}

/** https://platform.openai.com/docs/api-reference/responses */
export function responsesProblem(request: Json): string | undefined {
  const items = objects(request["input"]);
  if (items.length === 0) return "no input";
  const called = new Set<string>();
  const answered = new Set<string>();
  for (const { type, role, content, call_id: callId, arguments: args } of items) {
    const id = String(callId);
    if (type === "function_call") {
      if (called.has(id)) return "a call twice";
      if (!isJson(args)) return "arguments that are not JSON";
      called.add(id);
    } else if (type === "function_call_output") {
      if (!called.has(id)) return "an output without a call";
      if (answered.has(id)) return "two outputs of a call";
      answered.add(id);
    } else if (role !== undefined && isEmpty(content)) return "an empty message";
  }
  for (const id of called) if (!answered.has(id)) return "a call without an output";
  return illFormed(request);
}

function objects(value: unknown): Json[] {
  return Array.isArray(value)
    ? value.filter((item) => typeof item === "object" && item !== null)
    : [];
}

function isEmpty(content: unknown): boolean {
  return content === "" || (Array.isArray(content) && content.length === 0);
}

function isJson(text: unknown): boolean {
  try {
    return typeof text === "string" && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

function illFormed(value: unknown): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : "half a character";
  if (typeof value !== "object" || value === null) return undefined;
  for (const item of Object.values(value)) {
    const problem = illFormed(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
