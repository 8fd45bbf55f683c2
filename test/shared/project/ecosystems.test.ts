import type { ProjectInfo } from "@robota/runtime/settings";
import { describe, expect, it } from "vitest";
import { detected } from "../../support/project-support.ts";
import type { Files } from "../../support/settings-support.ts";

describe("the commands and frameworks of", () => {
  const ECOSYSTEMS: [string, Files, Partial<ProjectInfo>][] = [
    [
      "JavaScript with pnpm",
      {
        "package.json": {
          name: "@team/web",
          packageManager: "pnpm@12.1.0+sha512.abc",
          scripts: { test: "vitest", build: "vite build", lint: "oxlint", "type-check": "tsc" },
          dependencies: { react: "19", next: "16" },
          devDependencies: { vitest: "5" },
        },
        "yarn.lock": "",
      },
      {
        name: "@team/web",
        packageManager: "pnpm",
        commands: {
          test: "pnpm test",
          build: "pnpm run build",
          lint: "pnpm run lint",
          typecheck: "pnpm run type-check",
        },
        frameworks: ["Next.js", "React", "Vitest"],
      },
    ],
    [
      "JavaScript fresh from npm init",
      { "package.json": { scripts: { test: 'echo "Error: no test specified" && exit 1' } } },
      { packageManager: "npm", commands: {} },
    ],
    [
      "JavaScript with Yarn",
      { "package.json": { scripts: { test: "jest", build: "x" } }, "yarn.lock": "" },
      { commands: { test: "yarn test", build: "yarn build" } },
    ],
    [
      "JavaScript with Bun",
      { "package.json": { scripts: { test: "bun test" } }, "bun.lock": "" },
      { commands: { test: "bun run test" } },
    ],
    [
      "Deno",
      {
        "deno.json": {
          name: "@team/api",
          tasks: { build: "deno compile main.ts" },
          imports: { hono: "jsr:@hono/hono@4" },
        },
      },
      {
        type: "deno",
        language: "typescript",
        packageManager: "deno",
        name: "@team/api",
        commands: {
          test: "deno test",
          build: "deno task build",
          lint: "deno lint",
          typecheck: "deno check .",
        },
        frameworks: ["Hono"],
      },
    ],
    [
      "Python with uv",
      {
        "pyproject.toml": [
          "[project]",
          'name = "shop" # of ours',
          "dependencies = [",
          '  "django>=6",',
          '  "name = evil",',
          "]",
          "[build-system]",
          'requires = ["hatchling"]',
          "[tool.ruff.lint]",
          'select = ["E"]',
          "[tool.mypy]",
          "strict = true",
        ].join("\n"),
        "uv.lock": "",
        "manage.py": "",
      },
      {
        name: "shop",
        packageManager: "uv",
        commands: {
          test: "uv run python manage.py test",
          build: "uv build",
          lint: "uv run ruff check",
          typecheck: "uv run mypy .",
        },
        frameworks: ["Django"],
      },
    ],
    [
      "Python with Poetry",
      {
        "pyproject.toml":
          '[tool.poetry]\nname = "tool"\n[tool.poetry.dependencies]\nfastapi = "^0.130"\n[tool.pytest.ini_options]\n[build-system]\n',
      },
      {
        name: "tool",
        packageManager: "poetry",
        commands: { test: "poetry run pytest", build: "poetry build" },
        frameworks: ["FastAPI"],
      },
    ],
    [
      "Python with PDM",
      { "pyproject.toml": "[project]\nname = 'p'\n[tool.pdm]\n", "pytest.ini": "" },
      { name: "p", packageManager: "pdm", commands: { test: "pdm run pytest" } },
    ],
    [
      "Python with pip",
      { "requirements.txt": "Flask==3.1\npytest\n", "setup.cfg": "[metadata]\nname = old\n" },
      {
        name: "old",
        packageManager: "pip",
        commands: { test: "pytest" },
        frameworks: ["Flask", "pytest"],
      },
    ],
    [
      "Rust",
      {
        "Cargo.toml":
          '[workspace]\nmembers = ["crates/*"]\n[package]\nname = "server"\n[dependencies]\ntokio = { version = "1" }\n[dependencies.axum]\nversion = "0.8"\n',
      },
      {
        type: "rust",
        name: "server",
        packageManager: "cargo",
        commands: {
          test: "cargo test --workspace",
          build: "cargo build --workspace",
          lint: "cargo clippy --workspace",
          typecheck: "cargo check --workspace",
        },
        frameworks: ["Tokio", "axum"],
      },
    ],
    [
      "Go",
      {
        "go.mod":
          "module example.com/team/api\n\ngo 1.26\nrequire github.com/gin-gonic/gin v1.11.0\n",
        ".golangci.yml": "",
      },
      {
        type: "go",
        name: "example.com/team/api",
        packageManager: "go",
        commands: { test: "go test ./...", build: "go build ./...", lint: "golangci-lint run" },
        frameworks: ["Gin"],
      },
    ],
    [
      "Java with Maven",
      {
        "pom.xml":
          "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId></parent><artifactId>orders</artifactId></project>",
        mvnw: "",
      },
      {
        type: "java",
        language: "java",
        name: "orders",
        packageManager: "maven",
        commands: { test: "./mvnw test", build: "./mvnw package" },
        frameworks: ["Spring Boot"],
      },
    ],
    [
      "Kotlin with Gradle",
      {
        "build.gradle.kts":
          'plugins { kotlin("jvm") }\ndependencies { implementation("io.ktor:ktor-server-core") }',
        "settings.gradle.kts": 'rootProject.name = "chat"',
        gradlew: "",
      },
      {
        type: "java",
        language: "kotlin",
        name: "chat",
        packageManager: "gradle",
        commands: { test: "./gradlew test", build: "./gradlew build", lint: "./gradlew check" },
        frameworks: ["Ktor"],
      },
    ],
    [
      ".NET",
      {
        "Shop.sln": "",
        "Shop.csproj":
          '<Project Sdk="Microsoft.NET.Sdk.Web"><PackageReference Include="xunit" /></Project>',
      },
      {
        type: "dotnet",
        language: "csharp",
        name: "Shop",
        packageManager: "nuget",
        commands: {
          test: "dotnet test",
          build: "dotnet build",
          lint: "dotnet format --verify-no-changes",
        },
        frameworks: ["ASP.NET Core", "xUnit"],
      },
    ],
    [
      "PHP",
      {
        "composer.json": { name: "team/blog", require: { "laravel/framework": "^13" } },
        artisan: "",
        "phpstan.neon": "",
      },
      {
        type: "php",
        language: "php",
        name: "team/blog",
        packageManager: "composer",
        commands: { test: "php artisan test", lint: "vendor/bin/phpstan analyse" },
        frameworks: ["Laravel"],
      },
    ],
    [
      "Ruby",
      {
        Gemfile:
          'source "https://rubygems.org"\ngem "rails", "~> 8.1"\ngroup :test do\n  gem "rspec-rails"\nend\n',
        "pages.gemspec": "",
        ".rubocop.yml": "",
      },
      {
        type: "ruby",
        language: "ruby",
        name: "pages",
        packageManager: "bundler",
        commands: { test: "bundle exec rspec", lint: "bundle exec rubocop" },
        frameworks: ["Rails", "RSpec"],
      },
    ],
    [
      "C++ with CMake",
      {
        "CMakeLists.txt":
          "cmake_minimum_required(VERSION 3.30)\nproject(engine VERSION 1.0 LANGUAGES CXX)\nfind_package(Qt6)\n",
        Makefile: "all:\n",
      },
      {
        type: "cpp",
        language: "cpp",
        name: "engine",
        packageManager: "cmake",
        commands: {
          test: "ctest --test-dir build",
          build: "cmake -S . -B build && cmake --build build",
        },
        frameworks: ["Qt"],
        also: [],
      },
    ],
    [
      "C with Meson",
      { "meson.build": "project('daemon', 'c', version: '1')" },
      { type: "cpp", language: "c", name: "daemon", packageManager: "meson" },
    ],
    [
      "C with Make",
      { Makefile: "CC = gcc\ncheck: all\n\t./run\nlint :\n\t./lint\n", "main.c": "" },
      {
        type: "cpp",
        language: "c",
        packageManager: "make",
        commands: { test: "make check", build: "make", lint: "make lint" },
      },
    ],
    ["a makefile of something else", { Makefile: "test:\n\tpython x.py\n" }, { type: "unknown" }],
    [
      "Swift",
      { "Package.swift": 'let package = Package(\n  name: "Kit",\n)' },
      {
        type: "swift",
        language: "swift",
        name: "Kit",
        packageManager: "swiftpm",
        commands: { test: "swift test", build: "swift build" },
      },
    ],
    [
      "Elixir",
      { "mix.exs": 'def project do\n  [app: :live, deps: [{:phoenix, "~> 1.8"}, {:credo, "1"}]]' },
      {
        type: "elixir",
        name: "live",
        packageManager: "mix",
        commands: { test: "mix test", build: "mix compile", lint: "mix credo" },
        frameworks: ["Phoenix"],
      },
    ],
    [
      "Dart",
      { "pubspec.yaml": "name: phone\ndependencies:\n  flutter:\n    sdk: flutter\n" },
      {
        type: "dart",
        name: "phone",
        packageManager: "pub",
        commands: { test: "flutter test", lint: "flutter analyze" },
        frameworks: ["Flutter"],
      },
    ],
  ];

  it.each(ECOSYSTEMS)("%s are known", async (_, files, expected) => {
    const project = await detected(files);
    expect(project).toMatchObject(expected);
    expect(project.problems).toEqual([]);
  });

  it("lists all of several projects in one directory", async () => {
    const project = await detected({
      "package.json": { devDependencies: { typescript: "7" } },
      "composer.json": { name: "a/b" },
    });
    expect(project).toMatchObject({
      type: "node",
      also: [{ type: "php", language: "php", packageManager: "composer" }],
    });
  });
});
