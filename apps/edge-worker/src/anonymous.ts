/** Begins the name of everybody without a token. No token can have such an owner. */
export const ANONYMOUS = "anonymous";
