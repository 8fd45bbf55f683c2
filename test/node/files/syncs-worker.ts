// Stores as many values and logs at once as the argument says, and reports how often it made something durable.
// First, since others keep the functions that it counts.
import { countedSyncs } from "../../bench/peers/counted-syncs.ts";
import { NodeStorage } from "@robota/adapters-node";

const [, , directory = "", count = ""] = process.argv;
const bytes = new TextEncoder().encode("{}");
const storage = new NodeStorage({ directory });
await storage.set("all/first", bytes);
const before = countedSyncs();
const each = Array.from({ length: Number(count) }, (_, index) => index);
await Promise.all(each.map((index) => storage.set(`all/${index}`, bytes)));
const values = countedSyncs() - before;
await Promise.all(each.map((index) => storage.append(`all/${index}`, [bytes])));
const logs = countedSyncs() - before - values;
await storage.dispose();
process.send?.({ values, logs }, () => process.exit());
