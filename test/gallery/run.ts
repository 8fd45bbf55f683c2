// Pictures of every state of the playground, wide and narrow, light and dark, each checked by axe-core: `npm run gallery`.
//   --to FOLDER   where the pictures go; a temporary folder otherwise
//   -t NAME       only the states that are called so
// `docs/playground.png` is the picture of `approval-edit`, wide and light.
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { to: { type: "string" }, t: { type: "string", short: "t" } },
});
const folder = resolve(values.to ?? join(tmpdir(), "robota-gallery"));
const args = ["run", "--config", join(import.meta.dirname, "vitest.config.ts")];
if (values.t) args.push("-t", values.t);
const { status } = spawnSync("vitest", args, {
  cwd: join(import.meta.dirname, "../.."),
  stdio: "inherit",
  env: { ...process.env, ROBOTA_GALLERY: folder },
});
console.log(`Pictures: ${folder}`);
process.exitCode = status ?? 1;
