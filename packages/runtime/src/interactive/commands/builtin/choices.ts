import { CLAUDE_MODELS, findModel, OPENAI_MODELS } from "../../../context/models.ts";
import { ModelNotAvailableError } from "../../../errors.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../../permissions/permission.ts";
import type { CommandResult } from "../command.ts";
import type { CommandSession } from "../command-session.ts";
import { builtin, done, refused, sub } from "./result.ts";

const MODES: Readonly<Record<PermissionMode, string>> = {
  plan: "Reads and plans; changes nothing",
  default: "Asks before changes and commands",
  acceptEdits: "Changes files of the workspace without asking",
  bypassPermissions: "Runs almost everything without asking",
};

function notAMode(wanted: string): CommandResult {
  return refused(`"${wanted}" is not a mode. Modes: ${PERMISSION_MODES.join(", ")}.`);
}

/** Each mode is a subcommand, since choosing one needs another scope than showing it. */
export const mode = builtin("mode", {
  argumentHint: "[mode]",
  scope: "read",
  subcommands: PERMISSION_MODES.map((wanted) =>
    sub(wanted, MODES[wanted], {
      scope: "privilege",
      async execute(session, rest) {
        if (rest.trim() !== "") return notAMode(`${wanted} ${rest.trim()}`);
        await session.setPermissionMode(wanted);
        return done(`Mode: ${wanted}`, { mode: wanted });
      },
    }),
  ),
  execute(session, args) {
    if (args.trim() !== "") return notAMode(args.trim());
    const present = session.getPermissionMode();
    return done(`Mode: ${present}`, { mode: present });
  },
});

/**
 * Switches the session's model. One of a service that the session does not have is left to the program, by the data
 * alone.
 */
async function chooseModel(session: CommandSession, modelId: string): Promise<CommandResult> {
  const name = findModel(modelId)?.name ?? modelId;
  try {
    await session.setModel(modelId);
  } catch (error) {
    if (!(error instanceof ModelNotAvailableError)) throw error;
    return done(`${name} is the model of another service, which the program has to choose.`, {
      modelId,
    });
  }
  return done(`Model: ${name}, from the next turn on.`, { modelId });
}

export const model = builtin("model", {
  argumentHint: "[id]",
  subcommands: [CLAUDE_MODELS, OPENAI_MODELS].flatMap((catalog) =>
    Object.values(catalog).map(({ id, name }) =>
      sub(id, name, { execute: (session) => chooseModel(session, id) }),
    ),
  ),
  execute(session, args) {
    const id = args.trim();
    if (id !== "") return chooseModel(session, id);
    const { model: modelId, provider } = session.getModel();
    return done(`Model: ${findModel(modelId)?.name ?? modelId} of ${provider}`, {
      modelId,
      provider,
    });
  },
});

const LANGUAGES: Readonly<Record<string, string>> = {
  en: "English",
  ko: "Korean",
  ja: "Japanese",
  zh: "Chinese",
  de: "German",
  es: "Spanish",
  fr: "French",
  pt: "Portuguese",
};

async function chooseLanguage(
  session: CommandSession,
  wanted: string | undefined,
): Promise<CommandResult> {
  await session.setLanguage(wanted);
  return done(describeLanguage(wanted), { language: wanted ?? null });
}

function describeLanguage(wanted: string | undefined): string {
  return wanted === undefined
    ? "Language: no preference"
    : `Language: ${LANGUAGES[wanted] ?? wanted}`;
}

const noPreference = sub("default", "No preference", {
  execute: (session) => chooseLanguage(session, undefined),
});

export const language = builtin("language", {
  argumentHint: "[language]",
  subcommands: [
    ...Object.entries(LANGUAGES).map(([code, name]) =>
      sub(code, name, { execute: (session) => chooseLanguage(session, code) }),
    ),
    noPreference,
  ],
  execute(session, args) {
    const wanted = args.trim();
    if (wanted !== "") return chooseLanguage(session, wanted);
    const present = session.getLanguage();
    return done(describeLanguage(present), { language: present ?? null });
  },
});
