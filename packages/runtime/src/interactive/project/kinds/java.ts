import { type ProjectKind, knownIn } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import type { ProjectFiles } from "../project-files.ts";
import { NAME_LENGTH, type ProjectFacts } from "../project-info.ts";

/** Frameworks, by their group or plugin. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  "Spring Boot": /org\.springframework\.boot\b/,
  Quarkus: /io\.quarkus\b/,
  Micronaut: /io\.micronaut\b/,
  Ktor: /io\.ktor\b/,
  Android: /com\.android\.(?:application|library)\b/,
  "JUnit 5": /org\.junit\.jupiter\b|junit-jupiter\b|useJUnitPlatform/,
};
const KOTLIN = /org\.jetbrains\.kotlin|kotlin-maven-plugin|\bkotlin\s*\(\s*"|kotlin-gradle-plugin/;

/** Java and Kotlin, by Maven or Gradle. */
export const java: ProjectKind = {
  describe: (files) => (files.has("pom.xml") ? maven(files) : gradle(files)),
};

async function maven(files: ProjectFiles): Promise<ProjectFacts> {
  const text = await files.text("pom.xml");
  const command = files.has("mvnw") ? "./mvnw" : "mvn";
  return {
    name: plainText(artifactOf(text), NAME_LENGTH),
    language: KOTLIN.test(text) ? "kotlin" : "java",
    packageManager: "maven",
    commands: { test: `${command} test`, build: `${command} package` },
    frameworks: knownIn(FRAMEWORKS, text),
  };
}

async function gradle(files: ProjectFiles): Promise<ProjectFacts> {
  const scripts = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
  const texts = await Promise.all(scripts.map((name) => files.text(name)));
  const text = texts.join("\n");
  const command = files.has("gradlew") ? "./gradlew" : "gradle";
  const [, name] = /rootProject\.name\s*=\s*["']([^"'\n]*)["']/.exec(text) ?? [];
  return {
    name: plainText(name, NAME_LENGTH),
    language: KOTLIN.test(text) ? "kotlin" : "java",
    packageManager: "gradle",
    commands: { test: `${command} test`, build: `${command} build`, lint: `${command} check` },
    frameworks: knownIn(FRAMEWORKS, text),
  };
}

/** The project's own id, not that of its parent, a dependency or a plugin. */
function artifactOf(pom: string): string | undefined {
  let text = pom;
  for (const element of ["parent", "dependencies", "build", "profiles", "dependencyManagement"]) {
    const start = text.indexOf(`<${element}>`);
    const end = text.indexOf(`</${element}>`, start);
    if (start >= 0 && end > start) text = text.slice(0, start) + text.slice(end);
  }
  const [, name] = /<artifactId>([^<]*)<\/artifactId>/.exec(text) ?? [];
  return name;
}
