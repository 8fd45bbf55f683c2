import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright";

/** Text that a model would write: paragraphs, lists, tables and code. */
const SAMPLE = `The settings are read in **one place**, and \`readSettings\` is called by *three* others:

1. the command line, before its first prompt
2. the worker, for each session

| caller | when |
| --- | --- |
| worker | each session |

\`\`\`ts
const settings = await readSettings(path);
\`\`\`

None of them keeps what it has read, so a change is in force with the next prompt.

`;
/** Characters of a delta, as services send them. */
const DELTA = 5;
/** Deltas of one write. */
const AT_ONCE = 25;

export interface ModelServer extends AsyncDisposable {
  readonly baseURL: string;
}

/** A server of chat completions whose prompt says what it answers: \`20000 deltas, 2500 a second\`. */
export async function startModelServer(): Promise<ModelServer> {
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    const isQuestion = request.method === "POST";
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (isQuestion) void answer(Buffer.concat(parts).toString(), response);
      else response.end(JSON.stringify({ data: [{ id: "bench" }] }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(body: string, response: ServerResponse): Promise<void> {
  const asked = [...body.matchAll(/(\d+) deltas, (\d+) a second/g)].at(-1);
  const [deltas, rate] = [Number(asked?.[1] ?? 1), Number(asked?.[2] ?? 1_000)];
  response.setHeader("content-type", "text/event-stream");
  const begun = performance.now();
  for (let sent = 0; sent < deltas && !response.closed; sent += AT_ONCE) {
    const due = begun + (sent / rate) * 1_000;
    if (due > performance.now()) await setTimeout(due - performance.now());
    let lines = "";
    for (let at = sent; at < Math.min(deltas, sent + AT_ONCE); at++) {
      const from = (at * DELTA) % SAMPLE.length;
      lines += chunk({ delta: { content: SAMPLE.slice(from, from + DELTA) } });
    }
    response.write(lines);
  }
  response.end(`${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
}

function chunk(choice: object): string {
  const body = { id: "1", object: "chat.completion.chunk", model: "bench" };
  return `data: ${JSON.stringify({ ...body, choices: [{ index: 0, ...choice }] })}\n\n`;
}

/** Makes it the model of new sessions, as the sheet of models would. Takes effect when the page is loaded again. */
export async function useModelServer(page: Page, { baseURL }: ModelServer): Promise<void> {
  await page.evaluate((url) => {
    const connection = {
      service: "lmStudio",
      provider: "lmStudio",
      model: "bench",
      baseURL: url,
      contextWindow: 1e9,
    };
    const stored = { all: [connection], chosen: connection.provider };
    localStorage.setItem("robota.connections", JSON.stringify(stored));
  }, baseURL);
}
