// The floor: fetch, and a loop over the body's text. No library, and nothing that a product would need besides.
import { type Adapter, API_KEY } from "../adapter.ts";
import { plainLoop, type WireEvent } from "../plain-loop.ts";
import { PATHS } from "../wires.ts";

export const raw: Adapter = {
  async load(wire) {
    const headers = {
      "content-type": "application/json",
      ...(wire === "anthropic"
        ? { "x-api-key": API_KEY, "anthropic-version": "2023-06-01" }
        : { authorization: `Bearer ${API_KEY}` }),
    };
    return ({ baseURL, tools }) =>
      plainLoop(wire, tools, async (body, onEvent) => {
        const init = { method: "POST", headers, body: JSON.stringify(body) };
        await readEvents(await fetch(baseURL + PATHS[wire], init), onEvent);
      });
  },
};

async function readEvents(response: Response, onEvent: (event: WireEvent) => void): Promise<void> {
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  const decoder = new TextDecoder();
  let rest = "";
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n", start)) {
      const data = rest.indexOf("data: ", start);
      if (data !== -1 && data < end) {
        const text = rest.slice(data + 6, end);
        if (text !== "[DONE]") onEvent(JSON.parse(text));
      }
      start = end + 2;
    }
    rest = rest.slice(start);
  }
}
