import { defined } from "../../../defined.ts";
import { ConfigurationError } from "../../../errors.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { CommandContext, CommandResult } from "../command.ts";
import type { CommandSession } from "../command-session.ts";
import type { TrustManager, TrustReview } from "../trust-manager.ts";
import { builtin, counted, done, refused, sub } from "./result.ts";

const TRUST = {
  trusted: "The workspace is trusted: its settings, agents and instructions are in force.",
  untrusted: "The workspace is not trusted: what it brings along is not in force.",
  "not-needed": "Nothing in the workspace needs trust.",
};
const CONFIRM = /^--confirm(?:\s+|=)([0-9a-f]{64})$/;

const grant = sub("grant", "Show all that the workspace brings along, and trust it with a yes", {
  scope: "privilege",
  async execute(_session, args, context) {
    const [, confirmed] = CONFIRM.exec(args.trim()) ?? [];
    if (args.trim() !== "" && confirmed === undefined)
      return refused("Say /trust grant, and then /trust confirm");
    const manager = await requireTrust(context);
    if (confirmed !== undefined) return trustIt(manager, confirmed);
    const { request, remembered } = await manager.review();
    if (!request) return done(TRUST["not-needed"], { trust: "not-needed" });
    const { cwd, findings, digest } = request;
    if (remembered?.digest === digest)
      return done(`${visibleText(cwd)} is trusted as it is.`, { cwd, digest });
    context.trustShown.digest = digest;
    const command = `trust grant --confirm ${digest}`;
    const parts = findings.map(({ file, setting, detail }) => `${file}: ${setting}\n${detail}`);
    const lines = [
      `${visibleText(cwd)} brings along ${counted(findings.length, "part")}, which would act or allow something in your name:`,
      ...parts,
      `Nothing is trusted yet. To trust exactly this, say /trust confirm, or from elsewhere /${command}`,
    ];
    return done(lines.join("\n\n"), { cwd, digest, findings, needsConfirmation: true, command });
  },
});

const confirm = sub("confirm", "Trust what /trust grant has shown", {
  scope: "privilege",
  async execute(_session, _args, context) {
    const { digest } = context.trustShown;
    if (digest === undefined) return refused("Nothing was shown yet: say /trust grant first.");
    context.trustShown.digest = undefined;
    return trustIt(await requireTrust(context), digest);
  },
});

const revoke = sub("revoke", "Take trust in the workspace back", {
  scope: "privilege",
  async execute(_session, args, context) {
    if (args.trim() !== "") return refused("Say /trust revoke");
    const wasRemembered = await (await requireTrust(context)).revoke();
    const message = wasRemembered
      ? "Revoked."
      : "No trust in this workspace was remembered; this session has none from now on.";
    return done(
      `${message} Its hooks, rules, skills, agents and plugins are out of force from the next turn on; instructions that this session has read, from the next session on.`,
      { wasRemembered },
    );
  },
});

async function trustIt(manager: TrustManager, digest: string): Promise<CommandResult> {
  await manager.grant(digest);
  const when =
    manager.decided === false
      ? "The program has decided for this session that it is not; the next one has it in force."
      : "Its hooks, rules and plugins are in force from the next turn on, instructions and agents when a session opens.";
  return done(`Trusted. ${when} A change of any part asks again.`, { digest });
}

export const trust = builtin("trust", {
  scope: "read",
  argumentHint: "[grant | confirm | revoke]",
  subcommands: [grant, confirm, revoke],
  async execute(session, args, context) {
    if (args.trim() !== "") return refused("Say /trust, /trust grant or /trust revoke");
    const settings = session.getSettings();
    const state = settings?.trust ?? "not-needed";
    const waiting = waitingParts(session);
    const review = state === "not-needed" ? undefined : await (await context.trust?.())?.review();
    const facts = review && factsOf(review);
    const lines = [
      TRUST[state],
      ...waiting.map(({ file, setting }) => `${visibleText(file)}: ${setting}`),
      ...(facts ? rememberedLines(facts) : []),
    ];
    return done(lines.join("\n"), { trust: state, waiting, ...(facts?.remembered && facts) });
  },
});

function waitingParts(session: CommandSession): { file: string; setting: string }[] {
  return (session.getSettings()?.warnings ?? [])
    .filter(({ message }) => message.startsWith("is not in force"))
    .map(({ layer, setting }) => ({ file: layer, setting }));
}

interface AnswerFacts {
  digest: string;
  at?: string;
  key: string;
}

interface TrustFacts {
  /** SHA-256 of the workspace's parts as they are now. */
  digest?: string;
  /** The yes that is remembered, and the key of its record in the platform's storage. */
  remembered?: AnswerFacts;
}

function factsOf({ request, remembered }: TrustReview): TrustFacts {
  return defined({ digest: request?.digest, remembered: remembered && answerFacts(remembered) });
}

function answerFacts({ digest, key, at }: NonNullable<TrustReview["remembered"]>): AnswerFacts {
  return {
    digest,
    key,
    ...defined({ at: at === undefined ? undefined : new Date(at).toISOString() }),
  };
}

function rememberedLines({ digest, remembered }: TrustFacts): string[] {
  const now = digest === undefined ? [] : [`Its parts as they are now: SHA-256 ${digest}`];
  if (!remembered) return [...now, "No trust is remembered for it. /trust grant shows all parts."];
  const since = remembered.at === undefined ? "" : ` since ${remembered.at}`;
  const what = remembered.digest === digest ? "these parts" : `SHA-256 ${remembered.digest}`;
  const where = `Trust in ${what} is remembered${since}, in this host's storage as ${remembered.key}.`;
  const next =
    remembered.digest === digest
      ? "/trust revoke takes it back."
      : "/trust grant shows what is there now.";
  return [...now, `${where} ${next}`];
}

async function requireTrust({ trust: manager }: CommandContext): Promise<TrustManager> {
  const found = await manager?.();
  if (found) return found;
  throw new ConfigurationError(
    "This session reads no settings, so nothing of a workspace needs trust",
    {
      hint: "Open a session with a platform and a cwd instead of a prepared one.",
    },
  );
}
