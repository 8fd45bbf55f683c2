import { defined } from "../../../defined.ts";
import { type ProjectKind, knownIn, when } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import type { ProjectFiles } from "../project-files.ts";
import { NAME_LENGTH, type PackageManager, type ProjectCommands } from "../project-info.ts";
import { type TomlTables, tomlString, tomlTables } from "../toml-tables.ts";

/** Frameworks, by their names in lists of requirements and in tables of dependencies. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  Django: /(?:^|["'\s])django\b(?![-_.\w])/im,
  Flask: /(?:^|["'\s])flask\b(?![-_.\w])/im,
  FastAPI: /(?:^|["'\s])fastapi\b(?![-_.\w])/im,
  Starlette: /(?:^|["'\s])starlette\b(?![-_.\w])/im,
  Streamlit: /(?:^|["'\s])streamlit\b(?![-_.\w])/im,
  SQLAlchemy: /(?:^|["'\s])sqlalchemy\b(?![-_.\w])/im,
  NumPy: /(?:^|["'\s])numpy\b(?![-_.\w])/im,
  pandas: /(?:^|["'\s])pandas\b(?![-_.\w])/im,
  PyTorch: /(?:^|["'\s])torch\b(?![-_.\w])/im,
  pytest: /(?:^|["'\s])pytest\b(?![-_.\w])/im,
};
/** Prefixes of commands that run in the project's environment. */
const RUNNERS: Partial<Record<PackageManager, string>> = {
  uv: "uv run ",
  poetry: "poetry run ",
  pdm: "pdm run ",
  pipenv: "pipenv run ",
};
const BUILDS: Partial<Record<PackageManager, string>> = {
  uv: "uv build",
  poetry: "poetry build",
  pdm: "pdm build",
  pip: "python -m build",
};

/** Python, by any of its package managers. */
export const python: ProjectKind = {
  async describe(files, outer) {
    const project = await files.text("pyproject.toml");
    const tables = tomlTables(project);
    const lists = await Promise.all(
      ["requirements.txt", "requirements-dev.txt", "Pipfile", "setup.cfg"].map((name) =>
        files.text(name),
      ),
    );
    const packageManager = packageManagerOf([files, ...outer], tables);
    const frameworks = knownIn(FRAMEWORKS, project, ...lists);
    return {
      name: nameOf(tables, lists.at(-1) ?? ""),
      language: "python",
      packageManager,
      commands: commandsOf(files, tables, packageManager, frameworks),
      frameworks,
    };
  },
};

function nameOf(tables: TomlTables, setupConfiguration: string): string | undefined {
  const named = ["project", "tool.poetry"].map((table) => tables.get(table)?.get("name"));
  const [, inSetup] = /^\[metadata\][^[]*?^name[ \t]*=(.+)$/m.exec(setupConfiguration) ?? [];
  const name = tomlString(named.find((value) => value !== undefined)) ?? inSetup;
  return plainText(name, NAME_LENGTH);
}

/** Lock files may lie further out, in the root of a workspace. */
function packageManagerOf(
  directories: readonly ProjectFiles[],
  tables: TomlTables,
): PackageManager {
  const hasFile = (name: string): boolean => directories.some((files) => files.has(name));
  const found = (["uv", "poetry", "pdm"] as const).find(
    (tool) => hasTable(tables, `tool.${tool}`) || hasFile(`${tool}.lock`),
  );
  return found ?? (hasFile("Pipfile") ? "pipenv" : "pip");
}

function commandsOf(
  files: ProjectFiles,
  tables: TomlTables,
  packageManager: PackageManager,
  frameworks: readonly string[],
): ProjectCommands {
  const runner = RUNNERS[packageManager] ?? "";
  const usesTool = (tool: string, file: RegExp): boolean =>
    hasTable(tables, `tool.${tool}`) || files.find(file) !== undefined;
  const usesPytest =
    frameworks.includes("pytest") || usesTool("pytest", /^(?:pytest\.ini|conftest\.py)$/);
  const test =
    when(usesPytest, `${runner}pytest`) ??
    when(files.has("manage.py"), `${runner}python manage.py test`) ??
    when(files.has("tox.ini"), `${runner}tox`);
  const lint =
    when(usesTool("ruff", /^\.?ruff\.toml$/), `${runner}ruff check`) ??
    when(usesTool("pylint", /^\.?pylintrc$/), `${runner}pylint .`) ??
    when(usesTool("flake8", /^\.flake8$/), `${runner}flake8`);
  const typecheck =
    when(usesTool("mypy", /^\.?mypy\.ini$/), `${runner}mypy .`) ??
    when(usesTool("pyright", /^pyrightconfig\.json$/), `${runner}pyright`);
  const build = when(hasTable(tables, "build-system"), BUILDS[packageManager] ?? "python -m build");
  return defined({
    test,
    build,
    lint,
    typecheck,
  });
}

function hasTable(tables: TomlTables, name: string): boolean {
  return [...tables.keys()].some((table) => table === name || table.startsWith(`${name}.`));
}
