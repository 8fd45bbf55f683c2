import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { checkHooks } from "@robota/runtime/hooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../../../scripts/packaging/bundle-programs.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const pages = globSync(["README.md", "packages/*/README.md", "docs/*.md"], {
  cwd: root,
}).toSorted();

interface Block {
  page: string;
  language: string;
  text: string;
}

const blocks = pages.flatMap((page) =>
  Array.from(
    readFileSync(join(root, page), "utf8").matchAll(/^```(ts|js|json)\n([^]*?)^```$/gm),
    ([, language = "", text = ""]): Block => ({ page: relative("", page), language, text }),
  ),
);
const inCode = blocks.filter(({ language }) => language !== "json");
const importsIn = (text: string): string =>
  [...text.matchAll(/^import [^;]+ from "@robota\/[^;]+;/gm)]
    .map(([statement]) => statement)
    .join("\n");
/** Pages whose programs are whole, and print what stands below them. */
const WHOLE_PAGES = [
  "adapters",
  "agents",
  "bundles",
  "commands",
  "costs",
  "entries",
  "errors",
  "events",
  "getting-started",
  "hooks",
  "mcp",
  "observability",
  "openapi",
  "project-context",
  "remote",
  "sessions",
  "skills",
  "structured-output",
  "testing",
  "tools",
  "workspaces",
].map((name) => `docs/${name}.md`);
/** Those of workers have other types; `examples` and the worker itself are compiled with them. */
const whole = inCode.filter(
  ({ page, text }) => WHOLE_PAGES.includes(page) && !text.includes("cloudflare:"),
);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(root, "test/.docs-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The compiler's complaints about these files. */
async function compile(files: ReadonlyMap<string, string>): Promise<string> {
  const options = { noEmit: true, composite: false, declaration: false, types: ["node"] };
  const config = {
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      ...options,
      customConditions: [],
      lib: ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    },
    files: [...files.keys()],
  };
  await Promise.all(
    [...files, ["tsconfig.json", JSON.stringify(config)] as const].map(([name, text]) =>
      writeFile(join(folder, name), text),
    ),
  );
  const compiler = join(root, "node_modules/.bin/tsc");
  return run(compiler, ["-p", folder], { cwd: folder }).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it("every import of the documentation exists, and the programs of whole pages compile", async () => {
  const withImports = inCode.filter(({ text }) => text.includes('from "@robota/'));
  expect(withImports.length).toBeGreaterThanOrEqual(20);
  const imports = withImports.map(
    ({ page, text }, index) =>
      [`${page.replaceAll("/", "-")}-${index}.ts`, `${importsIn(text)}\nexport {};\n`] as const,
  );
  const programs = whole.map(({ text }, index) => [`whole-${index}.ts`, text] as const);
  expect(await compile(new Map([...imports, ...programs]))).toBe("");
});

it("docs/entries.md lists the exports of each entry", () => {
  const texts = inCode.filter(({ page }) => page === "docs/entries.md").map(({ text }) => text);
  const named = new Set(
    [...texts.join("\n").matchAll(/from "(@robota\/[^"]+)"/g)].map(([, entry = ""]) => entry),
  );
  const missing = ["runtime", "shell"].flatMap((name) => {
    const manifest: { exports: object } = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8"),
    );
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith(".wasm"));
    return entries
      .map((entry) => `@robota/${name}${entry.slice(1)}`)
      .filter((entry) => !named.has(entry));
  });
  expect(missing).toEqual([]);
});

describe("whole pages", () => {
  const programs = whole.filter(({ text }) => text.includes("// Prints: "));

  it("have programs for each topic of the guides, and for the answers of functions, commands and prompts in hooks", () => {
    expect(programs.map(({ page }) => page)).toEqual([
      "docs/adapters.md",
      "docs/adapters.md",
      "docs/agents.md",
      "docs/bundles.md",
      "docs/bundles.md",
      "docs/commands.md",
      "docs/costs.md",
      "docs/errors.md",
      "docs/events.md",
      "docs/getting-started.md",
      ...Array.from({ length: 4 }, () => "docs/hooks.md"),
      "docs/observability.md",
      "docs/openapi.md",
      "docs/project-context.md",
      "docs/project-context.md",
      "docs/sessions.md",
      "docs/skills.md",
      ...Array.from({ length: 3 }, () => "docs/structured-output.md"),
      "docs/testing.md",
      "docs/testing.md",
      "docs/tools.md",
    ]);
  });

  let bundled = "";
  beforeAll(async () => {
    bundled = join(folder, "bundled");
    const files = programs.map(({ text }, at) => ({
      text,
      file: join(folder, `program-${at}.ts`),
    }));
    await Promise.all(files.map(({ text, file }) => writeFile(file, text)));
    const named = files.map(({ file }, at) => [`program-${at}`, file] as const);
    await bundlePrograms(bundled, Object.fromEntries(named));
  });

  it.each(programs.map(({ text }, at) => [at, text] as const))(
    "prints its documented output: %#",
    async (at, program) => {
      const own = await mkdtemp(join(folder, "run-"));
      const { stdout } = await run(process.execPath, [join(bundled, `program-${at}.mjs`)], {
        cwd: own,
        env: { ...process.env, HOME: own },
      });
      for (const [, line = ""] of program.matchAll(/^\/\/ Prints: (.*)$/gm)) {
        expect(stdout).toContain(line);
      }
    },
  );
});

it("docs/errors.md explains every code that the runtime's errors and problems are made with", () => {
  const page = readFileSync(join(root, "docs/errors.md"), "utf8");
  const sources = globSync("packages/runtime/src/**/*.ts", { cwd: root }).filter(
    (name) => !name.endsWith(".test.ts"),
  );
  // The page has the codes of POSIX, those of a `FileSystemError`, by that name.
  const made =
    /(?:\bcode: |HttpProblem\(\s*\d+,\s*|new (?!FileSystemError)\w+Error\(\s*)"([A-Z_]+)"/g;
  const codes = sources.flatMap((name) =>
    [...readFileSync(join(root, name), "utf8").matchAll(made)].map(([, code]) => code),
  );
  expect(codes.length).toBeGreaterThan(200);
  const unexplained = new Set(
    codes.filter((code) => !page.includes(`\`${code}\``) && !/^(?:MCP|BUNDLE)_/.test(code ?? "")),
  );
  expect([...unexplained]).toEqual([]);
});

it("docs/events.md lists every event", () => {
  const page = readFileSync(join(root, "docs/events.md"), "utf8");
  const source = "packages/runtime/src/session/log/events.ts";
  const body = readFileSync(join(root, source), "utf8").split("export type SessionEventBody =")[1];
  const types = [...(body ?? "").matchAll(/^ {2,6}(?:\| \(?\{ )?type: "(\w+)"/gm)].map(
    ([, type]) => type,
  );
  expect(types.length).toBeGreaterThan(30);
  expect(types.filter((type) => !page.includes(`| \`${type}\``))).toEqual([]);
});

describe("docs/hooks.md", () => {
  it("has settings with valid hooks", () => {
    const settings = blocks.filter(
      ({ page, language }) => page === "docs/hooks.md" && language === "json",
    );
    expect(settings).toHaveLength(1);
    for (const { text } of settings) {
      expect(() => checkHooks((JSON.parse(text) as { hooks: unknown }).hooks)).not.toThrow();
    }
  });

  it("lists every event, with the fields of its input", () => {
    const page = readFileSync(join(root, "docs/hooks.md"), "utf8");
    const events = readFileSync(join(root, "packages/runtime/src/hooks/events.ts"), "utf8");
    const names = [...events.matchAll(/^ {2}"(\w+)",$/gm)].map(([, name = ""]) => name);
    expect(names).toHaveLength(15);
    expect(names.filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
    const fields = [...events.matchAll(/\b([a-z]+_\w+)\??: /g)].map(([, name = ""]) => name);
    const untold = ["transcript_path", "agent_transcript_path"];
    expect(
      fields.filter((name) => !untold.includes(name) && !page.includes(`\`${name}\``)),
    ).toEqual([]);
  });
});
