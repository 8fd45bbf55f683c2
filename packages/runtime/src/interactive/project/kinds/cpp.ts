import { defined } from "../../../defined.ts";
import { type ProjectKind, knownIn } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import type { ProjectFiles } from "../project-files.ts";
import { NAME_LENGTH, type ProjectFacts, type ProjectLanguage } from "../project-info.ts";

const SOURCE = /\.(?:c|cpp|cc|cxx)$/;
const COMPILES = /\$\((?:CC|CXX)\)|\b(?:gcc|clang|g\+\+)(?:\s|$)/m;
const MAKEFILE = /^(?:GNUmakefile|[Mm]akefile)$/;
/** Frameworks, by their packages. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  Qt: /\bQt[56]\b/,
  Boost: /\bBoost\b|dependency\('boost'/,
  GoogleTest: /\bGTest\b|googletest|dependency\('gtest'/,
  Catch2: /\bCatch2\b|dependency\('catch2/,
};

/** C and C++, by CMake, Meson or Make. */
export const cpp: ProjectKind = {
  describe: (files) => (files.has("CMakeLists.txt") ? cmake(files) : meson(files)),
};

/** C and C++ with only a makefile beside the sources; makefiles of other languages do not count. */
export const make: ProjectKind = {
  async describe(files) {
    const text = await files.text(files.find(MAKEFILE) ?? "");
    if (!COMPILES.test(text) && files.find(SOURCE) === undefined) return undefined;
    const hasTarget = (name: string): boolean => new RegExp(`^${name}\\s*:(?!=)`, "m").test(text);
    const test = ["test", "check"].find(hasTarget);
    return {
      language: languageOf(files, text),
      packageManager: "make",
      commands: defined({
        test: test === undefined ? undefined : `make ${test}`,
        build: "make",
        lint: hasTarget("lint") ? "make lint" : undefined,
      }),
      frameworks: knownIn(FRAMEWORKS, text),
    };
  },
};

async function cmake(files: ProjectFiles): Promise<ProjectFacts> {
  const text = await files.text("CMakeLists.txt");
  const [, name, rest = ""] =
    /^[ \t]*project[ \t]*\(\s*"?([\w.+-]{1,200})"?([^)]{0,500})\)/im.exec(text) ?? [];
  return {
    name: plainText(name, NAME_LENGTH),
    // Without languages, CMake enables both.
    language: languageOf(files, rest, /\bCXX\b/, /(?:^|\s)C(?:\s|$)/),
    packageManager: "cmake",
    commands: {
      test: "ctest --test-dir build",
      build: "cmake -S . -B build && cmake --build build",
    },
    frameworks: knownIn(FRAMEWORKS, text),
  };
}

async function meson(files: ProjectFiles): Promise<ProjectFacts> {
  const text = await files.text("meson.build");
  const [, name, rest = ""] =
    /^[ \t]*project[ \t]*\(\s*'([^'\n]{0,200})'([^)]{0,500})\)/m.exec(text) ?? [];
  return {
    name: plainText(name, NAME_LENGTH),
    language: languageOf(files, rest, /'cpp'/, /'c'/),
    packageManager: "meson",
    commands: {
      test: "meson test -C build",
      build: "meson setup build && meson compile -C build",
    },
    frameworks: knownIn(FRAMEWORKS, text),
  };
}

function languageOf(
  files: ProjectFiles,
  text: string,
  isCpp = /\$\(CXX\)|\bg\+\+|\.(?:cpp|cc|cxx)\b/,
  isC = /\$\(CC\)|\bgcc\b|\.c\b/,
): ProjectLanguage {
  if (isCpp.test(text) || files.find(/\.(?:cpp|cc|cxx|hpp)$/) !== undefined) return "cpp";
  return isC.test(text) || files.find(/\.c$/) !== undefined ? "c" : "cpp";
}
