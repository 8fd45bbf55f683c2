/** The argument of the search tools that says where to search. */
export function pathParameter(what: string): { type: "string"; minLength: 1; description: string } {
  return {
    type: "string",
    minLength: 1,
    description: `${what} to search in; the working directory when left out`,
  };
}
