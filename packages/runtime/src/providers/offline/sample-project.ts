/** Commands that show something, to be sent as one message, a command a line. */
export interface GuidedPrompt {
  title: string;
  /** The visible effect, in one sentence. */
  about: string;
  commands: readonly string[];
}

/** A tiny project for first runs. */
export interface SampleProject {
  /** Contents by path, relative to the working directory. */
  files: Readonly<Record<string, string>>;
  prompts: readonly GuidedPrompt[];
}

const README = `# slug

Turns titles into the words of a web address: \`slugify("Hello, World!")\` is \`hello-world\`.

- \`src/rules.js\`: what is replaced by what, in order
- \`src/slug.js\`: applies the rules
- \`cases.txt\`: titles and the slugs that they must become
- \`check.sh\`: the test, \`sh check.sh\`

One case fails. The rules are plain regular expressions, so the test can apply them with \`sed\`: it needs no JavaScript.
`;

const PACKAGE = `${JSON.stringify(
  {
    name: "slug",
    version: "1.0.0",
    type: "module",
    exports: "./src/slug.js",
    scripts: { test: "sh check.sh" },
  },
  null,
  2,
)}
`;

// The mistake: without the "+" every character is replaced by a dash of its own.
const RULES = `/** What is replaced by what, in order. The title is in lower case by then. */
export const rules = [
  [/'/g, ""],
  [/[^a-z0-9]/g, "-"],
  [/^-|-$/g, ""],
];
`;

const SLUG = `import { rules } from "./rules.js";

/** The words of a title, fit for a web address. */
export function slugify(title) {
  let slug = title.toLowerCase();
  for (const [pattern, replacement] of rules) slug = slug.replace(pattern, replacement);
  return slug;
}
`;

const CASES = `Hello|hello
Two words|two-words
Don't panic|dont-panic
Hello, World!|hello-world
`;

const CHECK = `# Applies the rules of src/rules.js with sed and compares the slugs with cases.txt.
rules=$(sed -n 's#^ *\\[/\\(.*\\)/g, "\\(.*\\)"\\],$#s/\\1/\\2/g#p' src/rules.js)
failed=0
while IFS='|' read -r title wanted; do
  slug=$(printf '%s' "$title" | tr 'A-Z' 'a-z' | sed -E "$rules")
  if [ "$slug" = "$wanted" ]; then
    echo "ok      $title -> $slug"
  else
    echo "FAILED  $title -> $slug (wanted $wanted)"
    failed=$((failed + 1))
  fi
done < cases.txt
echo "$failed failed"
[ "$failed" -eq 0 ]
`;

/** The sample of the playground and the worker: a small program with a failing test. */
export const sampleProject: SampleProject = {
  files: {
    "README.md": README,
    "package.json": PACKAGE,
    "src/rules.js": RULES,
    "src/slug.js": SLUG,
    "cases.txt": CASES,
    "check.sh": CHECK,
  },
  prompts: [
    {
      title: "Fix the failing test",
      about:
        "Runs the test, reads the code, changes it with your approval, and runs the test again.",
      commands: [
        "run sh check.sh",
        "read src/rules.js",
        'replace "[^a-z0-9]/g" with "[^a-z0-9]+/g" in src/rules.js',
        "run sh check.sh",
      ],
    },
    {
      title: "Explore",
      about: "Lists the files, searches them, and reads what it finds.",
      commands: ["list", "read README.md", "find slugify", "read src/slug.js"],
    },
    {
      title: "Break it",
      about: "Shows the safeguards: permissions, failing commands, a failing service.",
      commands: ["read no-such-file.md", "run rm -r src", "fail overloaded"],
    },
  ],
};
