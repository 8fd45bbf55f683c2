import { type ProjectKind, knownIn } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { NAME_LENGTH, type ProjectLanguage } from "../project-info.ts";

const PROJECT = /\.(?:cs|fs|vb)proj$/i;
const SOLUTION = /\.slnx?$/i;
const LANGUAGES: readonly (readonly [RegExp, ProjectLanguage])[] = [
  [/\.csproj/i, "csharp"],
  [/\.fsproj/i, "fsharp"],
  [/\.vbproj/i, "visualbasic"],
];
/** Frameworks, by the SDK or the package. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  "ASP.NET Core": /Microsoft\.(?:NET\.Sdk\.Web|AspNetCore)\b/,
  Blazor: /Microsoft\.(?:NET\.Sdk\.BlazorWebAssembly|AspNetCore\.Components)\b/,
  MAUI: /<UseMaui>true/i,
  WPF: /<UseWPF>true/i,
  "Entity Framework Core": /Microsoft\.EntityFrameworkCore\b/,
  xUnit: /"xunit/i,
  NUnit: /"NUnit/i,
  MSTest: /"MSTest/i,
};

/** C#, F# and Visual Basic, by the `dotnet` command. */
export const dotnet: ProjectKind = {
  async describe(files) {
    const [solution = "", project = ""] = [files.find(SOLUTION), files.find(PROJECT)];
    const [list, text] = await Promise.all([files.text(solution), files.text(project)]);
    const language = LANGUAGES.find(([pattern]) => pattern.test(project || list));
    return {
      name: plainText((solution || project).replace(/\.\w+$/, ""), NAME_LENGTH),
      language: language?.[1] ?? "csharp",
      packageManager: "nuget",
      commands: {
        test: "dotnet test",
        build: "dotnet build",
        lint: "dotnet format --verify-no-changes",
      },
      frameworks: knownIn(FRAMEWORKS, text),
    };
  },
};
