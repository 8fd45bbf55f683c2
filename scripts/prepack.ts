// Builds what the runtime's tarball holds beside its sources, also in a clone where nothing was built yet.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const runtime = join(import.meta.dirname, "../packages/runtime");

if (!existsSync(join(runtime, "vendor"))) await import("./vendor.ts");
const { status } = spawnSync("tsc", ["-b", ".", "tsconfig.providers.json"], {
  cwd: runtime,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);
await import("./bundle-runtime.ts");
