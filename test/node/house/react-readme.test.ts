import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SessionConnection, SessionView } from "@robota/react/store";
import { InteractiveSession } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { effectScope } from "@vue/reactivity";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const pages = ["packages/react/README.md", "docs/react.md"]
  .map((page) => readFileSync(join(root, page), "utf8"))
  .join("");
const programs = [...pages.matchAll(/^```(tsx|ts)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({
  kind,
  // Vue's own entry gives the same functions, and a compiler besides.
  text: text?.replace('from "vue"', 'from "@vue/reactivity"') ?? "",
}));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(root, "test/.react-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("has programs for React, Vue and Svelte that compile", async () => {
  expect(programs.map(({ kind }) => kind)).toEqual(["tsx", "ts", "ts", "tsx", "tsx"]);
  const files = programs.map(
    ({ kind, text }, index) => [`program-${index}.${kind}`, text] as const,
  );
  const config = {
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      noEmit: true,
      composite: false,
      declaration: false,
      types: [],
      jsx: "react-jsx",
      customConditions: [],
      lib: ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    },
    files: files.map(([name]) => name),
  };
  for (const [name, text] of [...files, ["tsconfig.json", JSON.stringify(config)] as const])
    await writeFile(join(folder, name), text);
  const compiler = join(root, "node_modules/.bin/tsc");
  const output = await promisify(execFile)(compiler, ["-p", folder], { cwd: folder }).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(output).toBe("");
});

it("has a Vue and a Svelte adapter that follow a session", async () => {
  const vue: { useView: (session: SessionConnection) => { value: SessionView } } = await import(
    join(folder, "program-1.ts")
  );
  const svelte: {
    viewOf: (session: SessionConnection) => {
      subscribe: (run: (view: SessionView) => void) => () => void;
    };
  } = await import(join(folder, "program-2.ts"));
  const session = new InteractiveSession({
    platform: memoryPlatform(),
    provider: new ScriptedProvider([{ text: "Hello" }]),
  });
  const scope = effectScope();
  const ref = scope.run(() => vue.useView(session));
  let shown: SessionView | undefined;
  const leave = svelte.viewOf(session).subscribe((view) => (shown = view));
  await session.submit("greet");
  const answer = { timeline: [{ prompt: "greet", items: [{ text: "Hello" }] }] };
  await expect.poll(() => shown).toMatchObject(answer);
  await expect.poll(() => ref?.value).toMatchObject(answer);
  leave();
  scope.stop();
  await session.shutdown();
});
