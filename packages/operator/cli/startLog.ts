import { print, printError } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { createLogger } from "@hardhat-identity/signer";
import { logLevels } from "@hardhat-identity/store/logger";

/** Reports the start of a service: as text at a terminal, otherwise as JSON lines like the service's log. */
export interface StartLog {
  warn(text: string): void;
  /** Says why there is no service. Never silent. */
  fatal(error: unknown): void;
}

const notStarted = "The service was not started. identity-signer settings lists its settings.";

/** @param environment Its level of the log counts, or else `info`: what is wrong may be that. */
export function openStartLog({ IDENTITY_LOG_LEVEL }: NodeJS.ProcessEnv): StartLog {
  const level = logLevels.find((each) => each === IDENTITY_LOG_LEVEL) ?? "info";
  if (process.stdout.isTTY) {
    const isQuiet = logLevels.indexOf(level) > logLevels.indexOf("warn");
    return {
      warn: isQuiet ? () => undefined : printError,
      fatal(error) {
        const { problem, frames = [] } = describeFailure(error);
        printError([problem, ...frames, `\n${notStarted}`].join("\n"));
      },
    };
  }
  // Prints synchronously, unlike the service's own writer: no line may be left when the process ends.
  const logger = createLogger(level, { write: (line) => print(line.trimEnd()) });
  return {
    warn: (text) => logger.warn(text),
    fatal(error) {
      const told = describeFailure(error);
      if (level === "silent") printError(told.problem);
      else logger.fatal(told, "not started");
    },
  };
}

/** Any other error is a bug in the service: the log has its stack. */
function describeFailure(error: unknown): { problem: string; frames?: string[] } {
  if (error instanceof InvalidInputError) return { problem: error.message };
  if (!(error instanceof Error)) return { problem: String(error) };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { problem: `${error.name}: ${error.message}`, frames };
}
