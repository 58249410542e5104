package io.outrigger.config.bootstrap;

import java.io.IOException;

/** Where a text is no JSON, for people: one line, without what the parser tells programmers. */
public final class JsonSyntax {
  private static final String PARSER_ADVICE =
      "Use JsonReader.setStrictness(Strictness.LENIENT) to accept malformed JSON";

  private JsonSyntax() {}

  /**
   * What is wrong, and in which line and column.
   *
   * @param failure as Gson threw it
   */
  public static String reason(Exception failure) {
    Throwable cause = failure.getCause() instanceof IOException io ? io : failure;
    String message = String.valueOf(cause.getMessage());
    String line = message.lines().findFirst().orElse(message);
    int path = line.indexOf(" path $");
    return (path < 0 ? line : line.substring(0, path)).replace(PARSER_ADVICE, "unexpected text");
  }
}
