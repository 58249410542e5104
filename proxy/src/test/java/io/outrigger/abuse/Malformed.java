package io.outrigger.abuse;

import java.util.Arrays;
import java.util.stream.Stream;

/** Fields that make a message malformed, from either side (RFC 9113 sections 8.2 and 8.3). */
enum Malformed {
  NUL_IN_VALUE("x-a", "a\0b"),
  CR_IN_VALUE("x-a", "a\rb"),
  LF_IN_VALUE("x-a", "a\nb"),
  HEADER_SPLITTING("x-a", "a\r\nx-b: c"),
  UPPER_CASE_NAME("X-A", "a"),
  BLANK_IN_NAME("x a", "a"),
  COLON_IN_NAME("x:a", "a"),
  NUL_IN_NAME("x\0a", "a"),
  LF_IN_NAME("x\na", "a"),
  NON_ASCII_NAME("x\u00e9", "a"),
  EMPTY_NAME("", "a"),
  CONNECTION("connection", "x-a"),
  KEEP_ALIVE("keep-alive", "timeout=5"),
  PROXY_CONNECTION("proxy-connection", "close"),
  TRANSFER_ENCODING("transfer-encoding", "chunked"),
  UPGRADE("upgrade", "h2c"),
  TE_OF_GZIP("te", "trailers, gzip"),
  UNKNOWN_PSEUDO(":x", "a"),
  CONTENT_LENGTH_OF_TEXT("content-length", "five"),
  CONTENT_LENGTH_BELOW_ZERO("content-length", "-1"),
  CONTENT_LENGTH_BEYOND_LONG("content-length", "99999999999999999999"),
  TWO_CONTENT_LENGTHS("content-length", "1", "content-length", "2"),
  LATE_PSEUDO("x-a", "a", ":path", "/b", ":status", "200");

  @SuppressWarnings("ImmutableEnumChecker") // nobody writes to it
  private final String[] fields;

  Malformed(String... fields) {
    this.fields = fields;
  }

  /** {@code head} followed by what makes it malformed. */
  String[] after(String... head) {
    return join(head, fields);
  }

  /** The name of the field that breaks a rule, as messages show it. */
  String printableName() {
    return (this == LATE_PSEUDO ? fields[2] : fields[0]).replaceAll("[^!-~]", "?");
  }

  /** Text that no message contains: the field's value, where it is more than a letter. */
  String value() {
    return fields[1].length() > 1 ? fields[1] : ": " + fields[1];
  }

  static String[] join(String[] some, String... more) {
    return Stream.concat(Arrays.stream(some), Arrays.stream(more)).toArray(String[]::new);
  }
}
