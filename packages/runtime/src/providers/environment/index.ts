export {
  type EnvironmentChoice,
  type FromEnvironmentOptions,
  providerFromEnvironment,
} from "./provider-from-environment.ts";
