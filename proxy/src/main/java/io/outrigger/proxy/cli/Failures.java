package io.outrigger.proxy.cli;

import io.outrigger.proxy.options.InvalidInput;
import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what went wrong into lines on stderr and an exit code; a stack trace only at DEBUG. */
final class Failures {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int BAD_INPUT = 2;

  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  private Failures() {}

  /** Makes {@code commandLine} and its subcommands report in this way. */
  static void handleIn(CommandLine commandLine, PrintWriter err) {
    commandLine.setParameterExceptionHandler((e, args) -> onBadUsage(e, err));
    commandLine.setExecutionExceptionHandler((e, cmd, parsed) -> onFailure(e, err));
  }

  static void line(PrintWriter err, String line) {
    err.println("outrigger: " + line);
  }

  private static int onBadUsage(ParameterException e, PrintWriter err) {
    log.debug("command line refused", e);
    String help = e.getCommandLine().getCommandSpec().qualifiedName() + " --help";
    line(err, reason(e) + "; see " + help);
    return BAD_INPUT;
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
    return oneLine(e);
  }

  private static int onFailure(Exception e, PrintWriter err) {
    log.debug("command failed", e);
    if (e instanceof InvalidInput input) {
      input.lines().forEach(text -> line(err, text));
      return BAD_INPUT;
    }
    line(err, oneLine(e));
    return FAILED;
  }

  private static String oneLine(Exception e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return e.getClass().getSimpleName() + "; run with --log-level DEBUG for its origin";
    }
    return message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
