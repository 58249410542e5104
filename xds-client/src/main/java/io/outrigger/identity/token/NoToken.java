package io.outrigger.identity.token;

/** Thrown when there is no token; the message names the source and the reason. */
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

  /** Creates an exception for a token that exists but that no server would accept. */
  static NoToken unusable(String reason) {
    return new NoToken(reason, true);
  }

  /** The reason for operators, one line without secrets. */
  public String reason() {
    return String.valueOf(getMessage());
  }

  /** Whether a token exists that no server would accept. */
  public boolean isUnusable() {
    return isUnusable;
  }
}
