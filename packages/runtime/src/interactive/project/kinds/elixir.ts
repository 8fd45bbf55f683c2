import { type ProjectKind, knownIn } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { NAME_LENGTH } from "../project-info.ts";

/** Frameworks, by their packages. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  Phoenix: /\{\s*:phoenix\s*,/,
  Ecto: /\{\s*:ecto(?:_sql)?\s*,/,
  Nerves: /\{\s*:nerves\s*,/,
};

/** Elixir, by Mix. */
export const elixir: ProjectKind = {
  async describe(files) {
    const text = await files.text("mix.exs");
    const [, name] = /\bapp:\s*:(\w+)/.exec(text) ?? [];
    return {
      name: plainText(name, NAME_LENGTH),
      language: "elixir",
      packageManager: "mix",
      commands: {
        test: "mix test",
        build: "mix compile",
        lint: /\{\s*:credo\s*,/.test(text) ? "mix credo" : "mix format --check-formatted",
      },
      frameworks: knownIn(FRAMEWORKS, text),
    };
  },
};
