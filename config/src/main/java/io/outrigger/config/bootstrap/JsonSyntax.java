package io.outrigger.config.bootstrap;

import java.io.IOException;

/** Describes syntax errors of JSON in one line, without the parser's advice to programmers. */
public final class JsonSyntax {
  private static final String PARSER_ADVICE =
      "Use JsonReader.setStrictness(Strictness.LENIENT) to accept malformed JSON";

  private JsonSyntax() {}

  /** Returns the error with its line and column. */
  public static String reason(Exception failure) {
    Throwable cause = failure.getCause() instanceof IOException io ? io : failure;
    String message = String.valueOf(cause.getMessage());
    String line = message.lines().findFirst().orElse(message);
    int path = line.indexOf(" path $");
    return (path < 0 ? line : line.substring(0, path)).replace(PARSER_ADVICE, "unexpected text");
  }
}
