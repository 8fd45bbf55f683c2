import type { WireAnswer } from "./wire-script.ts";

/** One event as text, and the kind of its delta. */
export interface WireEvent {
  text: string;
  piece?: "text" | "arguments";
}

export interface Wire {
  events(answer: WireAnswer): WireEvent[];
  whole(answer: WireAnswer): unknown;
  /** An overload reported inside a stream. */
  overloaded(): string;
  ping: string;
}

const MODEL = "wire-model";
const usageOf = (answer: WireAnswer): NonNullable<WireAnswer["usage"]> =>
  answer.usage ?? { input: 10, cacheRead: 20, cacheWrite: 5, output: 7, reasoning: 3 };
const stopOf = (answer: WireAnswer): NonNullable<WireAnswer["stop"]> =>
  answer.stop ?? (answer.calls ? "tools" : "end");

type Piece = NonNullable<WireEvent["piece"]>;

function event(text: string, piece?: Piece): WireEvent {
  return piece ? { text, piece } : { text };
}

function named(data: { type: string; [field: string]: unknown }, piece?: Piece): WireEvent {
  return event(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`, piece);
}

// --- Anthropic Messages

const ANTHROPIC_STOP = {
  end: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
};

function anthropicUsage(answer: WireAnswer): Record<string, unknown> {
  const { input, cacheRead, cacheWrite, output, reasoning } = usageOf(answer);
  return {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
  };
}

function anthropicEvents(answer: WireAnswer): WireEvent[] {
  const events: WireEvent[] = [];
  let index = 0;
  const block = (start: object, deltas: object[], piece?: Piece): void => {
    events.push(named({ type: "content_block_start", index, content_block: start }));
    for (const delta of deltas)
      events.push(named({ type: "content_block_delta", index, delta }, piece));
    events.push(named({ type: "content_block_stop", index }));
    index += 1;
  };
  const usage = anthropicUsage(answer);
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: MODEL,
    content: [],
    stop_reason: null,
  };
  events.push(
    named({
      type: "message_start",
      message: { ...message, usage: { ...usage, output_tokens: 1 } },
    }),
  );
  if (answer.thinking) {
    const thoughts = answer.thinking.map((thinking) => ({ type: "thinking_delta", thinking }));
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...thoughts,
      { type: "signature_delta", signature: "sig" },
    ]);
  }
  if (answer.text) {
    block(
      { type: "text", text: "" },
      answer.text.map((text) => ({ type: "text_delta", text })),
      "text",
    );
  }
  for (const { id, name, args } of answer.calls ?? []) {
    block(
      { type: "tool_use", id, name, input: {} },
      args.map((json) => ({ type: "input_json_delta", partial_json: json })),
      "arguments",
    );
  }
  const delta = { stop_reason: ANTHROPIC_STOP[stopOf(answer)], stop_sequence: null };
  events.push(named({ type: "message_delta", delta, usage }), named({ type: "message_stop" }));
  return events;
}

function anthropicWhole(answer: WireAnswer): unknown {
  const content: unknown[] = [];
  if (answer.thinking)
    content.push({ type: "thinking", thinking: answer.thinking.join(""), signature: "sig" });
  if (answer.text) content.push({ type: "text", text: answer.text.join("") });
  for (const { id, name, args } of answer.calls ?? []) {
    content.push({ type: "tool_use", id, name, input: JSON.parse(args.join("") || "{}") });
  }
  const stop_reason = ANTHROPIC_STOP[stopOf(answer)];
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: MODEL,
    content,
    stop_reason,
    usage: anthropicUsage(answer),
  };
}

// --- OpenAI Chat Completions

const CHAT_STOP = { end: "stop", tools: "tool_calls", length: "length", refusal: "content_filter" };

function chatUsage(answer: WireAnswer): Record<string, unknown> {
  const { input, cacheRead, cacheWrite, output, reasoning } = usageOf(answer);
  return {
    prompt_tokens: input + cacheRead + cacheWrite,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function chunk(data: object, piece?: Piece): WireEvent {
  const json = { id: "chatcmpl-1", object: "chat.completion.chunk", model: MODEL, ...data };
  return event(`data: ${JSON.stringify(json)}\n\n`, piece);
}

function chatEvents(answer: WireAnswer): WireEvent[] {
  const choice = (delta: object, finish_reason: string | null = null) => [
    { index: 0, delta, finish_reason },
  ];
  const events = [chunk({ choices: choice({ role: "assistant", content: "" }), usage: null })];
  for (const thought of answer.thinking ?? [])
    events.push(chunk({ choices: choice({ reasoning_content: thought }) }));
  for (const text of answer.text ?? [])
    events.push(chunk({ choices: choice({ content: text }), usage: null }, "text"));
  answer.calls?.forEach(({ id, name, args }, index) => {
    const start = { index, id, type: "function", function: { name, arguments: "" } };
    events.push(chunk({ choices: choice({ tool_calls: [start] }) }));
    for (const json of args)
      events.push(
        chunk(
          { choices: choice({ tool_calls: [{ index, function: { arguments: json } }] }) },
          "arguments",
        ),
      );
  });
  events.push(
    chunk({ choices: choice({}, CHAT_STOP[stopOf(answer)]) }),
    chunk({ choices: [], usage: chatUsage(answer) }),
    { text: "data: [DONE]\n\n" },
  );
  return events;
}

function chatWhole(answer: WireAnswer): unknown {
  const message: Record<string, unknown> = {
    role: "assistant",
    content: answer.text?.join("") ?? null,
  };
  if (answer.thinking) message["reasoning_content"] = answer.thinking.join("");
  if (answer.calls) {
    message["tool_calls"] = answer.calls.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: args.join("") },
    }));
  }
  const choices = [{ index: 0, message, finish_reason: CHAT_STOP[stopOf(answer)] }];
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    model: MODEL,
    choices,
    usage: chatUsage(answer),
  };
}

// --- OpenAI Responses

function responsesUsage(answer: WireAnswer): Record<string, unknown> {
  const { input, cacheRead, cacheWrite, output, reasoning } = usageOf(answer);
  return {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
  };
}

function responsesItems(answer: WireAnswer): Record<string, unknown>[] {
  const items: Record<string, unknown>[] = [];
  if (answer.thinking) {
    const summary = [{ type: "summary_text", text: answer.thinking.join("") }];
    items.push({ id: "rs_1", type: "reasoning", summary, encrypted_content: "opaque" });
  }
  if (answer.text) {
    const content = [{ type: "output_text", text: answer.text.join(""), annotations: [] }];
    items.push({ id: "out_1", type: "message", role: "assistant", status: "completed", content });
  }
  for (const { id, name, args } of answer.calls ?? []) {
    items.push({
      id: `fc_${id}`,
      type: "function_call",
      call_id: id,
      name,
      arguments: args.join(""),
    });
  }
  return items;
}

function response(answer: WireAnswer, status: string): Record<string, unknown> {
  const stop = stopOf(answer);
  const incomplete = stop === "length" || stop === "refusal";
  return {
    id: "resp_1",
    object: "response",
    model: MODEL,
    status: status === "completed" && incomplete ? "incomplete" : status,
    error: null,
    incomplete_details: incomplete
      ? { reason: stop === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: status === "completed" ? responsesItems(answer) : [],
    usage: status === "completed" ? responsesUsage(answer) : null,
  };
}

function responsesEvents(answer: WireAnswer): WireEvent[] {
  let sequence = 0;
  const next = (type: string, data: object, piece?: Piece): WireEvent =>
    named({ type, sequence_number: sequence++, ...data }, piece);
  const events = [next("response.created", { response: response(answer, "in_progress") })];
  responsesItems(answer).forEach((item, output_index) => {
    const { arguments: _, ...begun } = item;
    events.push(
      next("response.output_item.added", {
        output_index,
        item: { ...begun, content: [], summary: [] },
      }),
    );
    const part = { item_id: item["id"], output_index };
    if (item["type"] === "reasoning") {
      for (const delta of answer.thinking ?? []) {
        events.push(
          next("response.reasoning_summary_text.delta", { ...part, summary_index: 0, delta }),
        );
      }
    } else if (item["type"] === "message") {
      for (const delta of answer.text ?? []) {
        events.push(
          next("response.output_text.delta", { ...part, content_index: 0, delta }, "text"),
        );
      }
    } else {
      const call = answer.calls?.find(({ id }) => id === item["call_id"]);
      for (const delta of call?.args ?? []) {
        events.push(
          next("response.function_call_arguments.delta", { ...part, delta }, "arguments"),
        );
      }
    }
    events.push(next("response.output_item.done", { output_index, item }));
  });
  const whole = response(answer, "completed");
  events.push(next(`response.${String(whole["status"])}`, { response: whole }));
  return events;
}

/** Wires by the suffix of their paths. */
export const wires: Record<string, Wire> = {
  "/messages": {
    events: anthropicEvents,
    whole: anthropicWhole,
    overloaded: () =>
      named({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }).text,
    ping: 'event: ping\ndata: {"type":"ping"}\n\n',
  },
  "/chat/completions": {
    events: chatEvents,
    whole: chatWhole,
    overloaded: () =>
      `data: ${JSON.stringify({ error: { code: 529, message: "Overloaded" } })}\n\n`,
    ping: ": ping\n\n",
  },
  "/responses": {
    events: responsesEvents,
    whole: (answer) => response(answer, "completed"),
    overloaded: () =>
      named({ type: "error", code: "server_overloaded", message: "Overloaded" }).text,
    ping: ": ping\n\n",
  },
};
