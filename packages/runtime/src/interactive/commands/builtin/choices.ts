import { CLAUDE_MODELS, findModel, OPENAI_MODELS } from "../../../context/models.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../../permissions/permission.ts";
import type { CommandResult } from "../command.ts";
import type { CommandSession } from "../command-session.ts";
import { builtin, done, refused, sub } from "./result.ts";

const MODES: Readonly<Record<PermissionMode, string>> = {
  plan: "Reads and plans; changes nothing",
  default: "Asks before changes and commands",
  acceptEdits: "Changes files of the workspace without asking",
  bypassPermissions: "Asks for almost nothing",
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

const MODEL_ID = /^[\w.:/@-]{1,100}$/;

function chooseModel(_session: CommandSession, modelId: string): CommandResult {
  if (!MODEL_ID.test(modelId)) return refused(`"${modelId}" is not the id of a model.`);
  return done(`Model: ${findModel(modelId)?.name ?? modelId}`, { modelId });
}

export const model = builtin("model", {
  argumentHint: "<id>",
  subcommands: [CLAUDE_MODELS, OPENAI_MODELS].flatMap((catalog) =>
    Object.values(catalog).map(({ id, name }) =>
      sub(id, name, { execute: (session) => chooseModel(session, id) }),
    ),
  ),
  execute(session, args) {
    const id = args.trim();
    return id === "" ? refused("Give the model's id: /model <id>") : chooseModel(session, id);
  },
});

/** As in settings: a language's tag or its name. */
const LANGUAGE = /^[\p{L}\p{M}][\p{L}\p{M} ()'-]{0,39}$/u;

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

function chooseLanguage(_session: CommandSession, language: string): CommandResult {
  if (!LANGUAGE.test(language)) return refused(`"${language}" is not the name of a language.`);
  return done(`Language: ${LANGUAGES[language] ?? language}`, { language });
}

export const language = builtin("language", {
  argumentHint: "<language>",
  subcommands: Object.entries(LANGUAGES).map(([code, name]) =>
    sub(code, name, { execute: (session) => chooseLanguage(session, code) }),
  ),
  execute(session, args) {
    const wanted = args.trim();
    return wanted === ""
      ? refused("Give the language: /language <language>")
      : chooseLanguage(session, wanted);
  },
});
