import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { root } from "./sources.ts";

interface Workspace {
  minimumReleaseAge: number;
  minimumReleaseAgeExclude?: string[];
  trustPolicy: string;
  trustPolicyExclude?: string[];
  catalog: Record<string, string>;
}

const workspace: Workspace = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"));

describe("packages from the registry", () => {
  it("are at least a day old when they are installed, without exception", () => {
    expect(workspace.minimumReleaseAge).toBeGreaterThanOrEqual(24 * 60);
    expect(workspace.minimumReleaseAgeExclude ?? []).toEqual([]);
  });

  it("prove no less about their origin than their versions before", () => {
    expect(workspace.trustPolicy).toBe("no-downgrade");
    expect(workspace.trustPolicyExclude ?? []).toEqual([]);
  });

  it.each(Object.entries(workspace.catalog))("%s %s has a bounded range", (_name, range) => {
    expect(range).toMatch(/^\^?\d+(?:\.\d+){0,2}(?:-[\w.]+)?$/);
  });
});
