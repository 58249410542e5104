package io.outrigger.program.cli;

import io.outrigger.base.PlainText;
import io.outrigger.program.options.InvalidInput;
import java.io.PrintWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prints a failure on stderr and returns the exit code. Stack traces are logged only at DEBUG. */
final class Failures {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int BAD_INPUT = 2;

  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  private Failures() {}

  static void line(PrintWriter err, String line) {
    err.println("outrigger: " + PlainText.of(line));
  }

  static int report(Exception e, PrintWriter err) {
    log.debug("command failed", e);
    if (e instanceof InvalidInput input) {
      input.lines().forEach(text -> line(err, text));
      return BAD_INPUT;
    }
    line(err, oneLine(e));
    return FAILED;
  }

  static String oneLine(Exception e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return e.getClass().getSimpleName() + "; run with --log-level DEBUG for the stack trace";
    }
    return message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
