import { defined } from "../../../defined.ts";
import { type ProjectKind, knownIn } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { NAME_LENGTH } from "../project-info.ts";

/** Frameworks, by their packages. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  Vapor: /\/vapor(?:\.git)?"/,
  Hummingbird: /\/hummingbird(?:\.git)?"/,
};

/** Swift, by its package manager. */
export const swift: ProjectKind = {
  async describe(files) {
    const text = await files.text("Package.swift");
    const [, name] = /\bPackage\s*\(\s*name\s*:\s*"([^"\n]*)"/.exec(text) ?? [];
    const hasLinter = files.has(".swiftlint.yml");
    return {
      name: plainText(name, NAME_LENGTH),
      language: "swift",
      packageManager: "swiftpm",
      commands: defined({
        test: "swift test",
        build: "swift build",
        lint: hasLinter ? "swiftlint" : undefined,
      }),
      frameworks: knownIn(FRAMEWORKS, text),
    };
  },
};
