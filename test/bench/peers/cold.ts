// A fresh process: from its start to the first delta, on the clock that it shares with its parent.
import { ADAPTERS, type AdapterName } from "./adapters/index.ts";
import type { Wire } from "./wires.ts";

const [, , adapter, wire, baseURL = ""] = process.argv;
const connect = await ADAPTERS[adapter as AdapterName].load(wire as Wire);
const client = connect({ baseURL: `${baseURL}/text.50.0`, tools: false });
const conversation = await client.conversation();
let first = 0;
await conversation.turn("Answer, please.", () => (first ||= Date.now()));
process.send?.({ first }, () => process.exit());
