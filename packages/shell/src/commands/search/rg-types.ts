/** Globs of the names of files, by type. */
const TYPES: Readonly<Record<string, string>> = {
  c: "*.c *.h",
  config: "*.cfg *.conf *.config *.ini",
  cpp: "*.cc *.cpp *.cxx *.hh *.hpp *.hxx *.h *.inl",
  cs: "*.cs",
  css: "*.css *.scss",
  csv: "*.csv",
  dart: "*.dart",
  docker: "*Dockerfile*",
  elixir: "*.ex *.exs *.eex",
  go: "*.go",
  graphql: "*.graphql *.graphqls",
  h: "*.h *.hh *.hpp",
  haskell: "*.hs *.lhs",
  html: "*.htm *.html",
  java: "*.java *.jsp",
  js: "*.js *.jsx *.cjs *.mjs *.vue",
  json: "*.json",
  kotlin: "*.kt *.kts",
  less: "*.less",
  log: "*.log",
  lua: "*.lua",
  make: "Makefile makefile GNUmakefile *.mk *.mak",
  md: "*.md *.mdx *.markdown *.mkd",
  objc: "*.m *.h",
  perl: "*.pl *.pm",
  php: "*.php *.phtml",
  protobuf: "*.proto",
  py: "*.py *.pyi",
  r: "*.R *.r",
  rst: "*.rst",
  ruby: "*.rb *.gemspec Gemfile Rakefile",
  rust: "*.rs",
  sass: "*.sass *.scss",
  scala: "*.scala *.sbt",
  sh: "*.sh *.bash *.zsh .bashrc .profile .zshrc",
  sql: "*.sql *.psql",
  svelte: "*.svelte",
  svg: "*.svg",
  swift: "*.swift",
  tex: "*.tex *.bib *.sty",
  toml: "*.toml Cargo.lock",
  ts: "*.ts *.tsx *.cts *.mts",
  txt: "*.txt",
  vim: "*.vim",
  vue: "*.vue",
  xml: "*.xml *.xsd *.xsl *.xslt",
  yaml: "*.yaml *.yml",
};

const ALIASES: Readonly<Record<string, string>> = {
  csharp: "cs",
  markdown: "md",
  python: "py",
  typescript: "ts",
};

/** The globs of a type, or of all. @throws {Error} for an unknown one */
export function typesOf(name: string): string[] {
  if (name === "all") return Object.values(TYPES).flatMap((globs) => globs.split(" "));
  const own = ALIASES[name] ?? name;
  const globs = Object.hasOwn(TYPES, own) ? TYPES[own] : undefined;
  if (globs === undefined) throw new Error(`unrecognized file type: ${name}`);
  return globs.split(" ");
}

/** The answer to `--type-list`. */
export function typeList(): string {
  const names = [...Object.keys(TYPES), ...Object.keys(ALIASES)].sort();
  return names.map((name) => `${name}: ${typesOf(name).join(", ")}\n`).join("");
}
