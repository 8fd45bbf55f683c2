/** The three wire formats, as a service would stream them. All of it is ASCII, so lengths are bytes. */
export type Wire = "anthropic" | "openai-chat" | "openai-responses";

/** Where a wire's requests go, behind the scenario's base address. */
export const PATHS: Record<Wire, string> = {
  anthropic: "/v1/messages",
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
};

/** The shape of an answer: `deltas` pieces of text, the call of `echo` with this number, or one after the other. */
export type Script = { deltas: number; call?: number } | { deltas?: never; call: number };

/** Stands for the ids in an answer; the server puts a running number of the same length in its place. */
export const ID_MARK = "@@@@@@@@@@";
export const DELTA_LENGTH = 20;
const MODEL = "mock-model";
const WORDS = ["lorem", "ipsum", "dolor", "amet", "tempor", "magna", "aliqua", "erat"];

/** The events of one answer. */
export function eventsOf(wire: Wire, script: Script): string[] {
  if (wire === "anthropic") return messagesEvents(script);
  return wire === "openai-chat" ? chatEvents(script) : responsesEvents(script);
}

function deltaText(index: number): string {
  const text = `${WORDS[index & 7]} ${WORDS[(index * 5 + 3) & 7]} ${index}`;
  return text.padEnd(DELTA_LENGTH, ".").slice(0, DELTA_LENGTH);
}

function deltaTexts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => deltaText(index));
}

/** The arguments of a call, in the pieces in which models send them. */
function argumentPieces(round: number): string[] {
  const json = JSON.stringify({ text: `round-${round}`, n: round });
  return [json.slice(0, 8), json.slice(8, 16), json.slice(16)];
}

function named(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function messagesEvents(script: Script): string[] {
  const usage = {
    input_tokens: 25,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
    service_tier: "standard",
  };
  const head = { id: `msg_${ID_MARK}`, type: "message", role: "assistant", model: MODEL };
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  const { deltas = 0, call } = script;
  const blocks: [block: object, deltas: object[]][] = [];
  if (deltas > 0) {
    const texts = deltaTexts(deltas).map((text) => ({ type: "text_delta", text }));
    blocks.push([{ type: "text", text: "" }, texts]);
  }
  if (call !== undefined) {
    const pieces = ["", ...argumentPieces(call)];
    blocks.push([
      { type: "tool_use", id: `toolu_${ID_MARK}`, name: "echo", input: {} },
      pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
    ]);
  }
  return [
    named("message_start", { message }),
    ...blocks.flatMap(([content_block, parts], index) => [
      named("content_block_start", { index, content_block }),
      ...(index === 0 ? [named("ping", {})] : []),
      ...parts.map((delta) => named("content_block_delta", { index, delta })),
      named("content_block_stop", { index }),
    ]),
    named("message_delta", {
      delta: { stop_reason: call === undefined ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: call === undefined ? deltas * 5 : 30 },
    }),
    named("message_stop", {}),
  ];
}

function chatChunk(choices: object[], usage: object | null = null): string {
  const head = { id: `chatcmpl-${ID_MARK}`, object: "chat.completion.chunk", created: 1760000000 };
  const service = { model: MODEL, service_tier: "default", system_fingerprint: "fp_mock" };
  return `data: ${JSON.stringify({ ...head, ...service, choices, usage })}\n\n`;
}

function chatDelta(delta: object, finish_reason: string | null = null): string {
  return chatChunk([{ index: 0, delta, logprobs: null, finish_reason }]);
}

function chatEvents({ deltas = 0, call }: Script): string[] {
  const id = `call_${ID_MARK}`;
  const begun = { index: 0, id, type: "function", function: { name: "echo", arguments: "" } };
  const content = deltas > 0 ? "" : null;
  const body = [
    ...(deltas > 0 ? [chatDelta({ role: "assistant", content, refusal: null })] : []),
    ...deltaTexts(deltas).map((text) => chatDelta({ content: text })),
  ];
  if (call !== undefined) {
    const first = deltas > 0 ? {} : { role: "assistant", content, refusal: null };
    body.push(chatDelta({ ...first, tool_calls: [begun] }));
    for (const piece of argumentPieces(call))
      body.push(chatDelta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  }
  body.push(chatDelta({}, call === undefined ? "stop" : "tool_calls"));
  const usage = {
    prompt_tokens: 25,
    completion_tokens: 100,
    total_tokens: 125,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
  return [...body, chatChunk([], usage), "data: [DONE]\n\n"];
}

function response(status: string, output: object[], usage: object | null = null): object {
  return {
    id: `resp_${ID_MARK}`,
    object: "response",
    created_at: 1760000000,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: MODEL,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage,
    metadata: {},
  };
}

function responsesEvents(script: Script): string[] {
  const events: [type: string, data: object][] = [
    ["response.created", { response: response("in_progress", []) }],
    ["response.in_progress", { response: response("in_progress", []) }],
  ];
  const { deltas = 0, call } = script;
  const items: object[] = [];
  if (deltas > 0) items.push(addMessage(events, deltaTexts(deltas)));
  if (call !== undefined) items.push(addCall(events, argumentPieces(call), items.length));
  const usage = {
    input_tokens: 25,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 100,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 125,
  };
  events.push(["response.completed", { response: response("completed", items, usage) }]);
  return events.map(([type, data], sequence_number) => named(type, { sequence_number, ...data }));
}

function addMessage(events: [string, object][], deltas: readonly string[]): object {
  const id = `msg_${ID_MARK}`;
  const at = { item_id: id, output_index: 0, content_index: 0 };
  const empty = { id, type: "message", status: "in_progress", content: [], role: "assistant" };
  const part = { type: "output_text", annotations: [], logprobs: [], text: deltas.join("") };
  events.push(["response.output_item.added", { output_index: 0, item: empty }]);
  events.push(["response.content_part.added", { ...at, part: { ...part, text: "" } }]);
  for (const delta of deltas)
    events.push(["response.output_text.delta", { ...at, delta, logprobs: [] }]);
  events.push(["response.output_text.done", { ...at, text: part.text, logprobs: [] }]);
  events.push(["response.content_part.done", { ...at, part }]);
  const item = { ...empty, status: "completed", content: [part] };
  events.push(["response.output_item.done", { output_index: 0, item }]);
  return item;
}

function addCall(
  events: [string, object][],
  pieces: readonly string[],
  output_index: number,
): object {
  const id = `fc_${ID_MARK}`;
  const at = { item_id: id, output_index };
  const args = pieces.join("");
  const call = { id, type: "function_call", call_id: `call_${ID_MARK}`, name: "echo" };
  const begun = { ...call, status: "in_progress", arguments: "" };
  events.push(["response.output_item.added", { output_index, item: begun }]);
  for (const delta of pieces)
    events.push(["response.function_call_arguments.delta", { ...at, delta }]);
  events.push(["response.function_call_arguments.done", { ...at, name: "echo", arguments: args }]);
  const item = { ...call, status: "completed", arguments: args };
  events.push(["response.output_item.done", { output_index, item }]);
  return item;
}
