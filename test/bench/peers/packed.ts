// A project beside this one that has the packages as they are published, and this folder's modules to measure them with.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPacked, linkDependencies, pack } from "../../../scripts/packaging/pack.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The folder of the copied modules. It is removed when this process ends. */
export function packedModules(): string {
  const project = mkdtempSync(join(tmpdir(), "robota-bench-packed-"));
  process.on("exit", () => rmSync(project, { recursive: true, force: true }));
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const name of ["runtime", "adapters-node"] as const) {
    const folder = join(project, "packed", name);
    mkdirSync(folder, { recursive: true });
    installPacked(name, pack(name, folder), project);
  }
  linkDependencies(join(ROOT, "test"), project);
  // The provider without an SDK is put together from the sources' parts.
  symlinkSync(join(ROOT, "packages"), join(project, "packages"));
  const modules = join(project, "test/bench/peers");
  cpSync(import.meta.dirname, modules, { recursive: true });
  return modules;
}
