// Builds the generated part of a package's tarball, even in a fresh clone: `prepack.ts runtime`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const packages = join(import.meta.dirname, "../../packages");
const name = process.argv[2] ?? "runtime";

if (!existsSync(join(packages, "shell/vendor"))) await import("../vendor.ts");
const projects = name === "runtime" ? [".", "tsconfig.providers.json"] : ["."];
const { status } = spawnSync("tsc", ["-b", ...projects], {
  cwd: join(packages, name),
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);
await import("./bundle-for-node.ts");
