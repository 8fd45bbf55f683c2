#!/usr/bin/env node
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import {
  createProject,
  isTemplate,
  type Template,
  TEMPLATES,
  CreateUsageError,
} from "./create-project.ts";

const HELP = `Usage: npm create robota [folder] [-- --template <name>]

Templates:
${Object.entries(TEMPLATES)
  .map(([name, about]) => `  ${name.padEnd(9)}${about}`)
  .join("\n")}
`;

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof CreateUsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (positionals.length > 1) throw new CreateUsageError(`One folder is expected.\n\n${HELP}`);
  const folder = positionals[0] ?? (await ask("Folder: ", "a folder"));
  const template = templateOf(
    values.template ?? (await ask(`Template (${names()}): `, "--template")),
  );
  const { files, next } = await createProject(folder, template);
  console.log(`Created ${files} files in ${folder}. Next:\n`);
  for (const line of next) console.log(`  ${line}`);
  return 0;
}

function readArguments(): {
  values: { template?: string | undefined; help?: boolean | undefined };
  positionals: string[];
} {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new CreateUsageError(
      `${error instanceof Error ? error.message : String(error)}\n\n${HELP}`,
    );
  }
}

/** @throws {CreateUsageError} where nobody can answer */
async function ask(question: string, missing: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CreateUsageError(`Give ${missing}.\n\n${HELP}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

function templateOf(name: string): Template {
  if (isTemplate(name)) return name;
  throw new CreateUsageError(`There is no template ${JSON.stringify(name)}: choose ${names()}.`);
}

function names(): string {
  return Object.keys(TEMPLATES).join(", ");
}
