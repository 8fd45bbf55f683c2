import { type ProjectKind, knownIn } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { NAME_LENGTH } from "../project-info.ts";
import { tomlString, tomlTables } from "../toml-tables.ts";

/** Frameworks, by their names in tables of dependencies. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  Tokio: /^(?:tokio\b|\[.*dependencies\.tokio\])/m,
  axum: /^(?:axum\b|\[.*dependencies\.axum\])/m,
  Actix: /^(?:actix-web\b|\[.*dependencies\.actix-web\])/m,
  Rocket: /^(?:rocket\b|\[.*dependencies\.rocket\])/m,
  Bevy: /^(?:bevy\b|\[.*dependencies\.bevy\])/m,
  Tauri: /^(?:tauri\b|\[.*dependencies\.tauri\])/m,
  Leptos: /^(?:leptos\b|\[.*dependencies\.leptos\])/m,
};

/** Rust, by Cargo. */
export const rust: ProjectKind = {
  async describe(files) {
    const text = await files.text("Cargo.toml");
    const tables = tomlTables(text);
    const all = tables.has("workspace") ? " --workspace" : "";
    return {
      name: plainText(tomlString(tables.get("package")?.get("name")), NAME_LENGTH),
      language: "rust",
      packageManager: "cargo",
      commands: {
        test: `cargo test${all}`,
        build: `cargo build${all}`,
        lint: `cargo clippy${all}`,
        typecheck: `cargo check${all}`,
      },
      frameworks: knownIn(FRAMEWORKS, text),
    };
  },
};
