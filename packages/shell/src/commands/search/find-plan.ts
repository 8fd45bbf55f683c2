import { basename, dirname, errorMessage } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { permissionsOf, timestampOf } from "../file-words.ts";
import { inodeOf } from "../files/stat.ts";
import { formatted, testOf, type Batch, type Plan, type Test, type Walk } from "./find-tests.ts";
import { compilePattern, type Dialect } from "./pattern.ts";

/** Parses the expression of `find`. @throws {Error} For an invalid expression */
export function readPlan(
  words: readonly string[],
  context: ShellCommandContext,
  isFollowed: boolean,
): Promise<Plan> {
  return new PlanReader(words, context, isFollowed).plan();
}

/** Parses the expression after the paths. */
class PlanReader {
  readonly #words: readonly string[];
  readonly #context: ShellCommandContext;
  readonly #plan: Plan;
  #at = 0;
  #dialect: Dialect = "basic";

  constructor(words: readonly string[], context: ShellCommandContext, isFollowed: boolean) {
    this.#words = words;
    this.#context = context;
    this.#plan = {
      test: () => true,
      batches: [],
      hasAction: false,
      isDeep: false,
      isFollowed,
      from: 0,
      to: Number.POSITIVE_INFINITY,
    };
  }

  async plan(): Promise<Plan> {
    const plan = this.#plan;
    if (this.#words.length > 0) plan.test = await this.#list();
    if (this.#at < this.#words.length)
      throw new Error(`paths must precede expression: \`${this.#words[this.#at]}'`);
    if (!plan.hasAction) {
      const { test } = plan;
      plan.test = async (item, walk) =>
        (await test(item, walk)) && walk.output.push(`${item.name}\n`) > 0;
    }
    return plan;
  }

  #next(name: string): string {
    const value = this.#words[this.#at];
    if (value === undefined) throw new Error(`missing argument to \`${name}'`);
    this.#at += 1;
    return value;
  }

  #print(end: string): Test {
    this.#plan.hasAction = true;
    return ({ name }, { output }) => output.push(`${name}${end}`) > 0;
  }

  async #primary(): Promise<Test> {
    const name = this.#words[this.#at];
    if (name === undefined) throw new Error("expected an expression after the operator");
    this.#at += 1;
    if (name === "(") {
      const inner = await this.#list();
      if (this.#words[this.#at] !== ")")
        throw new Error(
          "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
        );
      this.#at += 1;
      return inner;
    }
    if (name === "!" || name === "-not") {
      const inner = await this.#primary();
      return async (item, walk) => !(await inner(item, walk));
    }
    if (name === "-print") return this.#print("\n");
    if (name === "-print0") return this.#print("\0");
    if (name === "-exec" || name === "-execdir" || name === "-ok") return this.#execute(name);
    if (name === "-maxdepth" || name === "-mindepth") {
      const depth = Number(this.#next(name));
      if (name === "-maxdepth") this.#plan.to = depth;
      else this.#plan.from = depth;
      return () => true;
    }
    if (name === "-depth" || name === "-d" || name === "-delete") this.#plan.isDeep = true;
    if (name === "-regextype") {
      const type = this.#next(name);
      this.#dialect = /extended|egrep|awk/.test(type) ? "extended" : "basic";
      return () => true;
    }
    if (name === "-regex" || name === "-iregex") return this.#expression(name);
    const next = (option: string): string => this.#next(option);
    const action = actionOf(name, next, this.#plan);
    if (action) return action;
    return testOf(name, next, this.#context);
  }

  #execute(name: string): Test {
    this.#plan.hasAction = true;
    const command: string[] = [];
    for (let word = this.#next(name); word !== ";"; word = this.#next(name)) {
      if (word === "+" && command.at(-1) === "{}") {
        const batch: Batch = { words: command, names: [] };
        this.#plan.batches.push(batch);
        return (item) => batch.names.push(item.name) > 0;
      }
      command.push(word);
    }
    return async (item, walk) => {
      const shown = name === "-execdir" ? `./${basename(item.path)}` : item.name;
      const filled = command.map((word) => word.replaceAll("{}", shown));
      if (name !== "-execdir") return (await runCommand(walk, filled)) === 0;
      const script = 'cd "$1" && shift && "$@"';
      return (
        (await runCommand(walk, ["bash", "-c", script, "find", dirname(item.path), ...filled])) ===
        0
      );
    };
  }

  async #conjunction(): Promise<Test> {
    const tests = [await this.#primary()];
    while (
      this.#words[this.#at] !== undefined &&
      ![")", "-o", "-or", ","].includes(this.#words[this.#at] ?? "")
    ) {
      if (this.#words[this.#at] === "-a" || this.#words[this.#at] === "-and") this.#at += 1;
      tests.push(await this.#primary());
    }
    return async (item, walk) => {
      for (const test of tests) if (!(await test(item, walk))) return false;
      return true;
    };
  }

  async #list(): Promise<Test> {
    let whole = await this.#conjunction();
    while (
      this.#words[this.#at] === "-o" ||
      this.#words[this.#at] === "-or" ||
      this.#words[this.#at] === ","
    ) {
      const isComma = this.#words[this.#at] === ",";
      this.#at += 1;
      const [left, right] = [whole, await this.#conjunction()];
      whole = async (item, walk) => {
        const result = await left(item, walk);
        return result && !isComma ? true : right(item, walk);
      };
    }
    return whole;
  }

  async #expression(name: string): Promise<Test> {
    // Emacs syntax is the default: basic groups and alternatives, but + and ? without a backslash.
    const source = this.#next(name);
    const written =
      this.#dialect === "basic"
        ? source.replace(
            /(\\.)|([+?])/g,
            (_all, kept?: string, sign?: string) => kept ?? `\\${sign}`,
          )
        : source;
    const pattern = await compilePattern([written], {
      dialect: this.#dialect,
      isLine: true,
      isCaseIgnored: name === "-iregex",
    });
    return (item) => pattern.find(item.name, 0) !== undefined;
  }
}

/** Runs a command for matched files, and passes its output on. */
export async function runCommand(walk: Walk, words: readonly string[]): Promise<number> {
  const [program = "", ...rest] = words;
  const result = await walk.context.run(program, rest);
  const { stdout } = result;
  walk.output.push(typeof stdout === "string" ? stdout : new TextDecoder().decode(stdout));
  walk.stderr += result.stderr;
  return result.exitCode;
}

function actionOf(name: string, next: (name: string) => string, plan: Plan): Test | undefined {
  const done = (test: Test): Test => {
    plan.hasAction = true;
    return test;
  };
  if (name === "-prune") {
    return (_item, walk) => {
      walk.isPruned = true;
      return true;
    };
  }
  if (name === "-quit") {
    return done((_item, walk) => {
      walk.hasQuit = true;
      return true;
    });
  }
  if (name === "-delete") {
    return done(async (item, walk) => {
      if (item.name === "." || item.name === "./") return true;
      try {
        const { fs } = walk.context;
        if (item.stat.type === "directory" && (await fs.readdir(item.path)).length > 0) {
          throw new Error("Directory not empty");
        }
        await fs.remove(item.path, { recursive: item.stat.type === "directory" });
        return true;
      } catch (error) {
        walk.stderr += `find: cannot delete '${item.name}': ${errorMessage(error)}\n`;
        walk.exitCode = 1;
        return false;
      }
    });
  }
  if (name === "-printf" || name === "-fprintf") {
    const format = next(name);
    return done(
      async (item, { output, context }) => output.push(await formatted(format, item, context)) > 0,
    );
  }
  if (name === "-ls") {
    return done(({ name: shown, path, stat }, { output }) => {
      const time = timestampOf(stat.mtimeMs).slice(0, 16);
      return (
        output.push(
          `${inodeOf(path)} ${Math.ceil(stat.size / 1024)} ${permissionsOf(stat)} 1 user user ${stat.size} ${time} ${shown}\n`,
        ) > 0
      );
    });
  }
  return undefined;
}
