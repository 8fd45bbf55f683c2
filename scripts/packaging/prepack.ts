// Builds the generated part of a package's tarball, even in a fresh clone: `prepack.ts runtime`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bundle-entry.ts";

const name = process.argv[2] ?? "runtime";
const folder = join(root, name === "playground" ? "apps" : "packages", name);

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(root, "packages/shell/vendor"))) await import("../vendor.ts");
if (name === "playground") run("vite", ["build", "--logLevel", "warn"]);
else {
  run("tsc", ["-b", ...(name === "runtime" ? [".", "tsconfig.providers.json"] : ["."])]);
  await import("./bundle-for-node.ts");
}
