package io.outrigger.identity.token;

/** There is no token; the message says where it was asked for and what came instead. */
public final class NoToken extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean isUnusable;

  public NoToken(String reason) {
    this(reason, false);
  }

  private NoToken(String reason, boolean isUnusable) {
    super(reason);
    this.isUnusable = isUnusable;
  }

  /** There is a token, which no server would accept. */
  static NoToken unusable(String reason) {
    return new NoToken(reason, true);
  }

  /** For people, in one line; nothing secret is in it. */
  public String reason() {
    return String.valueOf(getMessage());
  }

  /** Whether there is a token, which no server would accept. */
  public boolean isUnusable() {
    return isUnusable;
  }
}
