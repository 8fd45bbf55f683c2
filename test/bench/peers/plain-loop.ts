// The least that an agent can be: a list of messages in the wire's own shape, and a loop. What the floor and the bare SDKs
// share; they differ only in how a request becomes events.
import { type Client, ECHO, echo, MODEL, pastAnswer, pastQuestion } from "./adapter.ts";
import type { Wire } from "./wires.ts";

/** An event of any of the wires, as far as the loop reads it. */
export interface WireEvent {
  type?: string;
  delta?: string | { type?: string; text?: string; partial_json?: string };
  content_block?: Block;
  choices?: { delta?: { content?: string | null; tool_calls?: CallDelta[] } }[];
  item?: { type: string; call_id: string; arguments: string };
}

interface Block {
  type: string;
  id: string;
  text?: string;
  input?: unknown;
}

interface CallDelta {
  index: number;
  id: string;
  function: { name: string; arguments: string };
}

/** Reads one answer. */
interface Reader {
  take(event: WireEvent): void;
  /** Puts the answer and the results of its calls into the history. */
  end(history: object[]): { text: string; calls: number };
}

/** Sends a request and hands its events over. */
export type Send = (body: object, onEvent: (event: WireEvent) => void) => Promise<void>;

interface Dialect {
  body(messages: readonly object[], tools: boolean): object;
  past(index: number): object[];
  reader(onDelta: (delta: string) => void): Reader;
}

export function plainLoop(wire: Wire, tools: boolean, send: Send): Client {
  const dialect = DIALECTS[wire];
  return {
    conversation(past = 0) {
      const messages: object[] = [];
      for (let index = 0; index < past; index++) messages.push(...dialect.past(index));
      return {
        async turn(prompt, onDelta) {
          messages.push({ role: "user", content: prompt });
          for (let toolCalls = 0; ;) {
            const reader = dialect.reader(onDelta);
            await send(dialect.body(messages, tools), (event) => reader.take(event));
            const { text, calls } = reader.end(messages);
            toolCalls += calls;
            if (calls === 0) return { text, toolCalls };
          }
        },
      };
    },
  };
}

function run(json: string): string {
  const args: { text: string } = JSON.parse(json);
  return echo(args);
}

const messages: Dialect = {
  body: (history, tools) => ({
    model: MODEL,
    max_tokens: 4096,
    stream: true,
    messages: history,
    ...(tools && {
      tools: [{ name: ECHO.name, description: ECHO.description, input_schema: ECHO.parameters }],
    }),
  }),
  past: (index) => [
    { role: "user", content: pastQuestion(index) },
    { role: "assistant", content: [{ type: "text", text: pastAnswer(index) }] },
  ],
  reader(onDelta) {
    const content: Block[] = [];
    let text = "";
    let json = "";
    return {
      take({ type, delta, content_block }) {
        const open = content.at(-1);
        if (type === "content_block_delta" && typeof delta === "object" && open) {
          if (delta.type === "text_delta" && delta.text !== undefined) {
            open.text += delta.text;
            text += delta.text;
            onDelta(delta.text);
          } else json += delta.partial_json ?? "";
        } else if (type === "content_block_start" && content_block) {
          content.push(content_block);
          json = "";
        } else if (type === "content_block_stop" && open?.type === "tool_use")
          open.input = JSON.parse(json);
      },
      end(history) {
        history.push({ role: "assistant", content });
        const results = content
          .filter(({ type }) => type === "tool_use")
          .map(({ id, input }) => ({
            type: "tool_result",
            tool_use_id: id,
            content: echo(input as { text: string }),
          }));
        if (results.length > 0) history.push({ role: "user", content: results });
        return { text, calls: results.length };
      },
    };
  },
};

const chat: Dialect = {
  body: (history, tools) => ({
    model: MODEL,
    stream: true,
    stream_options: { include_usage: true },
    messages: history,
    ...(tools && { tools: [{ type: "function", function: ECHO }] }),
  }),
  past: (index) => [
    { role: "user", content: pastQuestion(index) },
    { role: "assistant", content: pastAnswer(index) },
  ],
  reader(onDelta) {
    let text = "";
    const calls: CallDelta[] = [];
    return {
      take({ choices }) {
        const delta = choices?.[0]?.delta;
        if (delta?.content) {
          text += delta.content;
          onDelta(delta.content);
        }
        for (const call of delta?.tool_calls ?? []) {
          const known = calls[call.index];
          if (known) known.function.arguments += call.function.arguments;
          else calls[call.index] = call;
        }
      },
      end(history) {
        const made = calls.map(({ id, function: called }) => ({
          id,
          type: "function",
          function: called,
        }));
        history.push(
          made.length > 0
            ? { role: "assistant", content: text || null, tool_calls: made }
            : { role: "assistant", content: text },
        );
        for (const { id, function: called } of made)
          history.push({ role: "tool", tool_call_id: id, content: run(called.arguments) });
        return { text, calls: made.length };
      },
    };
  },
};

const responses: Dialect = {
  body: (input, tools) => ({
    model: MODEL,
    stream: true,
    store: false,
    input,
    ...(tools && { tools: [{ type: "function", ...ECHO }] }),
  }),
  past: (index) => [
    { role: "user", content: pastQuestion(index) },
    { role: "assistant", content: pastAnswer(index) },
  ],
  reader(onDelta) {
    let text = "";
    const items: NonNullable<WireEvent["item"]>[] = [];
    return {
      take({ type, delta, item }) {
        if (type === "response.output_text.delta" && typeof delta === "string") {
          text += delta;
          onDelta(delta);
        } else if (type === "response.output_item.done" && item) items.push(item);
      },
      end(history) {
        const calls = items.filter(({ type }) => type === "function_call");
        history.push(...items);
        for (const { call_id, arguments: json } of calls)
          history.push({ type: "function_call_output", call_id, output: run(json) });
        return { text, calls: calls.length };
      },
    };
  },
};

const DIALECTS: Record<Wire, Dialect> = {
  anthropic: messages,
  "openai-chat": chat,
  "openai-responses": responses,
};
