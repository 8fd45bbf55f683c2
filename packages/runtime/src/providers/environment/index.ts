export { type EnvironmentProvider, type EnvironmentProviderName } from "./candidates.ts";
export {
  environmentProviders,
  type EnvironmentChoice,
  type FromEnvironmentOptions,
  providerFromEnvironment,
} from "./provider-from-environment.ts";
