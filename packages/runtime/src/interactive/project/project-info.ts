/** Characters of a project's name. */
export const NAME_LENGTH = 100;

/** Kinds of projects; `unknown` without a recognized manifest. */
export type ProjectType =
  | "node"
  | "deno"
  | "python"
  | "rust"
  | "go"
  | "java"
  | "dotnet"
  | "php"
  | "ruby"
  | "cpp"
  | "swift"
  | "elixir"
  | "dart"
  | "unknown";

/** The main language of a project. */
export type ProjectLanguage =
  | "typescript"
  | "javascript"
  | "python"
  | "rust"
  | "go"
  | "java"
  | "kotlin"
  | "csharp"
  | "fsharp"
  | "visualbasic"
  | "php"
  | "ruby"
  | "c"
  | "cpp"
  | "swift"
  | "elixir"
  | "dart"
  | "unknown";

/** Package managers, and build tools of languages without one. */
export type PackageManager =
  | "pnpm"
  | "yarn"
  | "npm"
  | "bun"
  | "deno"
  | "pip"
  | "pipenv"
  | "poetry"
  | "uv"
  | "pdm"
  | "cargo"
  | "go"
  | "maven"
  | "gradle"
  | "nuget"
  | "composer"
  | "bundler"
  | "cmake"
  | "meson"
  | "make"
  | "swiftpm"
  | "mix"
  | "pub";

/** Command lines for the usual checks. They are known ones: no text of the project's is part of them. */
export interface ProjectCommands {
  test?: string;
  build?: string;
  lint?: string;
  typecheck?: string;
}

/** The facts about a project that the files of one directory state. */
export interface ProjectFacts {
  /** The project's own text: one line of at most 100 characters, without control and bidirectional characters. */
  name?: string | undefined;
  language: ProjectLanguage;
  packageManager?: PackageManager | undefined;
  commands: ProjectCommands;
  /** Known names of frameworks and test runners, such as `Next.js`. */
  frameworks: readonly string[];
}

/** A manifest that can't be used, and the reason. */
export interface ProjectProblem {
  /** Path of the file. */
  file: string;
  message: string;
}

/** A project, found by its files alone: nothing is run. */
export interface ProjectInfo extends ProjectFacts {
  type: ProjectType;
  /** Directory of the nearest manifest, or the one that was asked about; absolute. */
  directory: string;
  /** Name of that manifest, such as `package.json`. */
  manifest?: string;
  /** Other kinds of projects in the same directory. */
  also: readonly {
    type: ProjectType;
    language: ProjectLanguage;
    packageManager?: PackageManager;
  }[];
  /** The monorepo that the project is part of: the outermost directory with a manifest, up to the repository's root. */
  monorepo?: { directory: string; type: ProjectType; packageManager?: PackageManager };
  problems: readonly ProjectProblem[];
}
