import type { ProjectKind } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { NAME_LENGTH } from "../project-info.ts";

/** Dart and Flutter, by pub. */
export const dart: ProjectKind = {
  async describe(files) {
    const text = await files.text("pubspec.yaml");
    const [, name] = /^name[ \t]*:[ \t]*["']?([\w-]+)/m.exec(text) ?? [];
    const isFlutter = /^[ \t]+sdk[ \t]*:[ \t]*flutter\b/m.test(text);
    const command = isFlutter ? "flutter" : "dart";
    return {
      name: plainText(name, NAME_LENGTH),
      language: "dart",
      packageManager: "pub",
      commands: { test: `${command} test`, lint: `${command} analyze` },
      frameworks: isFlutter ? ["Flutter"] : [],
    };
  },
};
