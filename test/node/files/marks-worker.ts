// Writes to a storage and waits to be killed.
import { NodeStorage } from "@robota/adapters-node";

const [, , directory = ""] = process.argv;
const storage = new NodeStorage({ directory });
await storage.append("theirs", [new TextEncoder().encode("{}")]);
process.send?.("written");
setInterval(() => undefined, 1_000);
