// A session in Node: the agent reads the project, asks before it changes anything, and reports its work.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";

const folder = await mkdtemp(join(tmpdir(), "robota-example-"));
await writeFile(join(folder, "greeting.txt"), "Hello, wrold!\n");
{
  await using platform = nodePlatform({ home: folder });
  await using session = new InteractiveSession({
    platform,
    cwd: folder,
    provider: new OfflineProvider(),
  });

  session.on("text_delta", (delta) => process.stdout.write(delta));
  session.on("permission_request", ({ id, tool, reason }) => {
    console.log(`\n[${tool} asks: ${reason} Allowed.]`);
    void session.resolvePermission(id, { allow: true });
  });

  await session.submit("read greeting.txt\nreplace wrold with world in greeting.txt");
}
console.log(`\n\n${await readFile(join(folder, "greeting.txt"), "utf8")}`);
await rm(folder, { recursive: true });
