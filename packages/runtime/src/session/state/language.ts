const SENTENCE = /(^|\n\n)Answer in [^\n]{1,40}\.(?=\n\n|$)/u;

/** The system message with a paragraph that asks for answers in this language, in place of a former one; without one for none. */
export function withLanguage(systemMessage: string, language: string | undefined): string {
  if (language === undefined) return systemMessage.replace(SENTENCE, "").replace(/^\n\n/, "");
  const sentence = `Answer in ${language}.`;
  if (SENTENCE.test(systemMessage))
    return systemMessage.replace(SENTENCE, (_, before: string) => before + sentence);
  return systemMessage === "" ? sentence : `${systemMessage}\n\n${sentence}`;
}
