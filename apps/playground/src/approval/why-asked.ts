import type { PermissionRequest } from "@robota/runtime";
import { placeOf, reasonWords } from "../tools/reason-words.ts";

/** The grounds of a question. */
export interface Grounds {
  /** For a rule: the rule itself, and where it stands. */
  rule?: string | undefined;
  place?: string | undefined;
  /** The part of a command line that it is about, where that is not the whole line. */
  command?: string | undefined;
  text: string;
}

/** Why a request is put to a person, in their words. */
export function whyAsked(request: PermissionRequest): Grounds {
  const { tool, args, rule, layer, reason } = request;
  const command = request.command === args["command"] ? undefined : request.command;
  if (rule === undefined) return { command, text: reasonWords(reason, tool) };
  return { rule, place: layer && placeOf(layer), command, text: "asks for approval." };
}
