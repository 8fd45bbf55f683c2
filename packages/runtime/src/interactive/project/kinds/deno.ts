import type { ProjectKind } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { fieldsOf } from "../project-files.ts";
import { NAME_LENGTH } from "../project-info.ts";
import { commandsOf } from "./node.ts";

/** Frameworks, by a part of the imports' specifiers. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  Fresh: "fresh",
  Oak: "oak",
  Hono: "hono",
};

/** Deno's own projects; one with a `package.json` is a Node project too. */
export const deno: ProjectKind = {
  async describe(files) {
    const file = files.has("deno.json") ? "deno.json" : "deno.jsonc";
    const manifest = await files.json(file);
    const imports = [...fieldsOf(manifest.get("imports")).values()].map(String);
    return {
      name: plainText(manifest.get("name"), NAME_LENGTH),
      language: "typescript",
      packageManager: "deno",
      commands: {
        test: "deno test",
        lint: "deno lint",
        typecheck: "deno check .",
        ...commandsOf(fieldsOf(manifest.get("tasks")), "deno"),
      },
      frameworks: Object.entries(FRAMEWORKS).flatMap(([title, part]) =>
        imports.some((specifier) => specifier.includes(`@${part}/`)) ? [title] : [],
      ),
    };
  },
};
