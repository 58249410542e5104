package io.outrigger.xds.google;

/** There is no token; the message says where it was asked for and what came instead. */
public final class NoToken extends Exception {
  private static final long serialVersionUID = 1L;

  NoToken(String reason) {
    super(reason);
  }

  /** For people, in one line; nothing secret is in it. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
