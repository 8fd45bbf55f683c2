import type { Hono } from "hono";
import { isAllowed, scopeOf } from "../../interactive/commands/authorize.ts";
import { CommandRefusedError } from "../../interactive/commands/command-refused.ts";
import type {
  Command,
  CommandCaller,
  CommandOutcome,
  CommandScope,
} from "../../interactive/commands/command.ts";
import type { BodyLimits } from "./body/body-limits.ts";
import { readBody } from "./body/read-body.ts";
import { idempotencyKey, runsOnce, type SubmitOnce } from "./idempotency-key.ts";
import { operations } from "./operations.ts";
import { type Principal, requireScope } from "./principal/principal.ts";
import { includesScope, SCOPE_OF_COMMAND } from "./principal/scopes.ts";
import { HttpProblem } from "./problem.ts";
import type { SessionEnvironment } from "./session-environment.ts";
import { submitMessage } from "./submit-message.ts";

export const DEFAULT_COMMAND_SCOPES: readonly CommandScope[] = ["read", "write"];

/** Adds routes for slash commands. Their caller is remote, within the scopes that the operator gives. */
export function addCommandRoutes(
  app: Hono<SessionEnvironment>,
  {
    commandScopes,
    limits,
    submitOnce,
    onFailure,
  }: {
    commandScopes: readonly CommandScope[];
    limits: BodyLimits;
    submitOnce: SubmitOnce;
    /** Called with the failure of a turn after its request was answered. */
    onFailure: (error: unknown) => void;
  },
): void {
  const { listCommands, completeCommand, runCommand } = operations;
  const runOnce = runsOnce<CommandOutcome | null>();
  /** Within what the operator gives to remote callers, and what the token is for. */
  const callerOf = ({ scopes }: Principal): CommandCaller => ({
    kind: "remote",
    scopes: commandScopes.filter((scope) => includesScope(scopes, SCOPE_OF_COMMAND[scope])),
  });

  app.get(listCommands.path, async (context) => {
    const commands = await context.var.session.getCommands();
    const caller = callerOf(context.var.principal);
    return context.json({ commands: commands.filter((one) => isAllowed(one, caller)).map(shown) });
  });
  app.post(completeCommand.path, async (context) => {
    const { session } = context.var;
    const { text, cursor } = await readBody(context.req.raw, completeCommand.body, limits);
    const commands = await session.getCommands();
    const caller = callerOf(context.var.principal);
    const refused = new Set(
      commands.filter((one) => !isAllowed(one, caller)).map(({ name }) => `/${name}`),
    );
    const completions = await session.completeCommand(text, cursor);
    return context.json({ completions: completions.filter(({ value }) => !refused.has(value)) });
  });
  app.post(runCommand.path, async (context) => {
    const { session } = context.var;
    const name = context.req.param("name") ?? "";
    const { args = "" } = await readBody(context.req.raw, runCommand.body, limits);
    const { principal } = context.var;
    const caller = callerOf(principal);
    const key = idempotencyKey(context.req.header("idempotency-key"));
    const outcome = await runOnce(session, {
      key,
      content: JSON.stringify([name, args, caller]),
      run: () => session.prepareCommand(name, args, { caller }),
    }).catch((error: unknown) => {
      const scope = error instanceof CommandRefusedError ? error.scope : undefined;
      if (scope) requireScope(principal, SCOPE_OF_COMMAND[scope], `/${name}`);
      throw error;
    });
    if (!outcome) throw noSuchCommand(name);
    const { prompt } = outcome;
    if (!prompt) return context.json(outcome.result);
    const submission = await submitOnce(session, {
      key,
      content: JSON.stringify([name, args]),
      submit: (request) =>
        submitMessage(session, prompt.text, () =>
          session.submitPrompt(prompt, request && { request }),
        ),
    });
    submission.finished.catch(onFailure);
    return context.json(await submission.taken, 202);
  });
}

/** A command as a client lists it. */
function shown(command: Command): object {
  const { name, description, source, argumentHint, aliases, subcommands } = command;
  return {
    name,
    description,
    source,
    scope: scopeOf(command),
    argumentHint,
    aliases,
    subcommands: subcommands?.map((sub) => ({
      name: sub.name,
      description: sub.description,
      argumentHint: sub.argumentHint,
    })),
  };
}

function noSuchCommand(name: string): HttpProblem {
  return new HttpProblem(404, "NO_SUCH_COMMAND", `There is no command ${name}.`, {
    hint: "GET commands lists those of the session.",
  });
}
