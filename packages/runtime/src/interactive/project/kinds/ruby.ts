import { defined } from "../../../defined.ts";
import { type ProjectKind, knownIn, when } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { NAME_LENGTH } from "../project-info.ts";

const GEMSPEC = /\.gemspec$/;
/** Frameworks, by their gems. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  Rails: /^[ \t]*gem[ \t]+["']rails["']/m,
  Sinatra: /^[ \t]*gem[ \t]+["']sinatra["']/m,
  Hanami: /^[ \t]*gem[ \t]+["']hanami["']/m,
  Jekyll: /^[ \t]*gem[ \t]+["']jekyll["']/m,
  RSpec: /(?:^[ \t]*gem|add_development_dependency)[ \t]*\(?[ \t]*["']rspec(?:-rails)?["']/m,
};

/** Ruby, by Bundler. */
export const ruby: ProjectKind = {
  async describe(files) {
    const gemspec = files.find(GEMSPEC) ?? "";
    const texts = await Promise.all([files.text("Gemfile"), files.text(gemspec)]);
    const frameworks = knownIn(FRAMEWORKS, ...texts);
    const usesRspec = frameworks.includes("RSpec") || files.has(".rspec");
    const usesRubocop = files.has(".rubocop.yml") || texts.some((text) => text.includes("rubocop"));
    const test =
      when(usesRspec, "bundle exec rspec") ??
      when(frameworks.includes("Rails"), "bin/rails test") ??
      when(files.has("Rakefile"), "bundle exec rake test");
    const lint = when(usesRubocop, "bundle exec rubocop");
    return {
      name: plainText(gemspec.replace(GEMSPEC, ""), NAME_LENGTH),
      language: "ruby",
      packageManager: "bundler",
      commands: defined({ test, lint }),
      frameworks,
    };
  },
};
