import type { Script, Statement, SyntaxNode } from "#just-bash";

/** Redirections that leave standard output and standard error where they are. */
const inputOnly = new Set(["<", "<<", "<<-", "<<<"]);

type Compound = SyntaxNode & {
  redirections?: { operator: string; fd: number | null }[];
  body?: Statement[];
  /** An arithmetic expression in a C-style `for`. */
  condition?: Statement[] | SyntaxNode | null;
  clauses?: { condition: Statement[]; body: Statement[] }[];
  elseBody?: Statement[] | null;
  items?: { body: Statement[] }[];
};

/**
 * The statements of a script whose output goes straight to the caller's streams: those at the top, and those in loops,
 * branches and groups that are neither piped nor redirected. What they print can be handed on at once.
 */
export function visibleStatements(script: Script): WeakSet<SyntaxNode> {
  const visible = new WeakSet<SyntaxNode>();
  const mark = (statements: Statement[] | SyntaxNode | null | undefined): void => {
    if (!Array.isArray(statements)) return;
    for (const statement of statements) {
      visible.add(statement);
      // What follows in a list of && and || must not be told before what came first.
      const [only, ...rest] = statement.pipelines[0]?.commands ?? [];
      if (only && rest.length === 0) markWithin(only);
    }
  };
  const markWithin = (command: Compound): void => {
    if (command.type === "SimpleCommand" || command.type === "FunctionDef") return;
    const redirections = command.redirections ?? [];
    if (redirections.some(({ operator, fd }) => !inputOnly.has(operator) || (fd ?? 0) > 0)) return;
    mark(command.condition);
    mark(command.body);
    mark(command.elseBody);
    for (const { condition, body } of command.clauses ?? []) {
      mark(condition);
      mark(body);
    }
    for (const { body } of command.items ?? []) mark(body);
  };
  mark(script.statements);
  return visible;
}
