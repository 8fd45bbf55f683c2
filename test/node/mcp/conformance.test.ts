import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../../../scripts/packaging/bundle-programs.ts";

const run = promisify(execFile);
const suite = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);
const client = join(import.meta.dirname, "../../support/mcp/conformance-client.ts");
/** Both programs in few files, and compiled once: a scenario starts two processes. */
const directory = mkdtempSync(join(tmpdir(), "robota-conformance-programs-"));
beforeAll(() => bundlePrograms(directory, { suite, client }));
afterAll(() => rm(directory, { recursive: true, force: true }));
/** Ends a scenario that hangs; one takes a few seconds where nothing else runs. */
const HANGS_MS = 300_000;
const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, "compiled") };
const command = `${process.execPath} ${join(directory, "client.mjs")}`;

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

/** The scenarios that the suite requires of a client of this protocol, all of which are claimed. */
function scenarios(revision: string): string[] {
  const listed = execFileSync(process.execPath, [suite, "list", "--requirements", revision], {
    encoding: "utf8",
  });
  const [, clients = ""] = /^Client scenarios.*\n([^]*?)\n\n/m.exec(listed) ?? [];
  return [...clients.matchAll(/^ +- (\S+)$/gm)].map(([, name = ""]) => name);
}

/** The checks of a scenario, which its own server makes of what the client sends. */
async function checksOf(scenario: string, revision: string): Promise<Check[]> {
  const cwd = await mkdtemp(join(tmpdir(), "robota-conformance-results-"));
  try {
    const args = ["client", "--command", command, "--scenario", scenario];
    const more = ["--spec-version", revision, "--timeout", "240000", "--output-dir", cwd];
    await run(process.execPath, [join(directory, "suite.mjs"), ...args, ...more], {
      cwd,
      env,
    }).catch(() => undefined);
    const files = await readdir(cwd, { recursive: true });
    const file = files.find((name) => name.endsWith("checks.json"));
    if (file === undefined) throw new Error("The suite has no results");
    return JSON.parse(await readFile(join(cwd, file), "utf8")) as Check[];
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

describe.each(["2025-11-25", "2026-07-28"])(
  "the conformance suite for clients of %s",
  (revision) => {
    const required = scenarios(revision);

    it("requires scenarios", () => {
      expect(required.length).toBeGreaterThan(15);
    });

    it.concurrent.each([...required, "json-schema-2020-12-preservation"])(
      "passes %s",
      { timeout: HANGS_MS },
      async (scenario) => {
        const checks = await checksOf(scenario, revision);
        expect(checks.filter(({ status }) => status === "SUCCESS")).not.toEqual([]);
        expect(checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")).toEqual(
          [],
        );
      },
    );
  },
);
