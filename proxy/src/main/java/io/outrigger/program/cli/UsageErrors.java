package io.outrigger.program.cli;

import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports command lines that picocli rejects, and commands that fail, in the way of {@link
 * Failures}.
 */
final class UsageErrors {
  private static final Logger log = LoggerFactory.getLogger(UsageErrors.class);

  private UsageErrors() {}

  /** Installs the reporting in {@code commandLine} and its subcommands. */
  static void handleIn(CommandLine commandLine, PrintWriter err) {
    commandLine.setParameterExceptionHandler((e, args) -> onBadUsage(e, err));
    commandLine.setExecutionExceptionHandler((e, cmd, parsed) -> Failures.report(e, err));
  }

  private static int onBadUsage(ParameterException e, PrintWriter err) {
    log.debug("command line refused", e);
    String help = e.getCommandLine().getCommandSpec().qualifiedName() + " --help";
    Failures.line(err, reason(e) + "; see " + help);
    return Failures.BAD_INPUT;
  }

  private static String reason(ParameterException e) {
    boolean atRoot = e.getCommandLine().getParent() == null;
    if (atRoot
        && e instanceof UnmatchedArgumentException unmatched
        && !unmatched.isUnknownOption()) {
      return "\"%s\" is not a subcommand; give one of %s"
          .formatted(
              unmatched.getUnmatched().get(0),
              String.join(", ", e.getCommandLine().getSubcommands().keySet()));
    }
    return Failures.oneLine(e);
  }
}
