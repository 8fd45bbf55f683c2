import type { ProjectFacts, ProjectType } from "./project-info.ts";
import type { ProjectFiles } from "./project-files.ts";

/** A kind of project, and the files by which it is recognized. */
export interface Ecosystem {
  type: ProjectType;
  /** Names of its manifests, the most specific first. */
  manifests: readonly RegExp[];
  /** True for a kind that counts only without another manifest. */
  isFallback?: true;
  load: () => Promise<ProjectKind>;
}

/** A kind of project, as its files describe it. */
export interface ProjectKind {
  /** `outer`: the directories above, up to the repository's root. `undefined` when it is something else after all. */
  describe: (
    files: ProjectFiles,
    outer: readonly ProjectFiles[],
  ) => Promise<ProjectFacts | undefined>;
}

/** The known names whose pattern occurs in one of the texts. */
export function knownIn(
  table: Readonly<Record<string, RegExp>>,
  ...texts: readonly string[]
): string[] {
  return Object.entries(table).flatMap(([name, pattern]) =>
    texts.some((text) => pattern.test(text)) ? [name] : [],
  );
}

/** The same text when the condition holds. */
export function when<Text extends string>(condition: boolean, text: Text): Text | undefined {
  return condition ? text : undefined;
}
