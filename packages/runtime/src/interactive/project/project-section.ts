import { visibleText } from "../../permissions/visible-text.ts";
import type { PromptSection } from "../prompt/prompt-section.ts";
import type { ProjectInfo } from "./project-info.ts";

/**
 * The project, for the model: words of this runtime, but for the name, which is JSON. is the project's own text:
 * without trust, `project` comes without it.
 */
export function projectSection(project: ProjectInfo): PromptSection[] {
  const { type, language, packageManager, name, directory, monorepo } = project;
  if (type === "unknown") return [];
  const tool = packageManager === undefined ? "" : ` (${packageManager})`;
  const commands = Object.entries(project.commands)
    .map(([kind, command]) => `${kind} \`${command}\``)
    .join(", ");
  const also = project.also.map((other) => other.type);
  const lines = [
    `Project: ${type}${tool}, mainly ${language}, in ${visible(directory)}.`,
    ...(name === undefined ? [] : [`It calls itself ${JSON.stringify(name)}.`]),
    ...(also.length === 0 ? [] : [`Beside it: ${also.join(", ")}.`]),
    ...(monorepo === undefined ? [] : [`Root of the monorepo: ${visible(monorepo.directory)}.`]),
    ...(project.frameworks.length === 0 ? [] : [`It uses ${project.frameworks.join(", ")}.`]),
    ...(commands === "" ? [] : [`Its own commands: ${commands}.`]),
  ];
  return [{ name: "project", text: lines.join(" ") }];
}

function visible(path: string): string {
  return visibleText(path, { singleLine: true });
}
