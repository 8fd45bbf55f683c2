/** A person's part in the authorization of a server. */
export interface McpAuthorization {
  /** Where the authorization server sends the person back to. */
  redirectUrl: string;
  /**
   * Shows `url` to the person, and resolves to the whole address that they were sent back to. Open it as an address, never
   * by a shell.
   */
  authorize(request: { server: string; url: URL; signal: AbortSignal }): Promise<string | URL>;
  /** Name of the program for the person; `robota` when omitted. */
  clientName?: string | undefined;
  /** Address of a document about the program, which servers that know such documents take instead of a registration. */
  clientMetadataUrl?: string | undefined;
}

/** A client that was registered with the authorization server beforehand. */
export interface McpClientCredentials {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Scopes, separated by spaces, instead of those that the server names. */
  scope?: string | undefined;
}
