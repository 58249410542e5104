package io.outrigger.program.options;

import java.nio.channels.UnresolvedAddressException;

/**
 * The program cannot start for a reason other than wrong input, such as a port in use. The message
 * is one line that names the flag, the place and the remedy.
 */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  public StartFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Creates the failure for an address that could not be bound.
   *
   * @param origin the flag and its value, such as {@code --forward 9001=xds:///orders}
   * @param cause its message names the address, possibly in another spelling than the flag
   */
  public static StartFailure cannotBind(String origin, Throwable cause) {
    return new StartFailure(
        "%s: %s; stop what listens there or choose another address"
            .formatted(origin, reason(cause)),
        cause);
  }

  private static String reason(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (root instanceof UnresolvedAddressException) {
      return "the name of the host cannot be resolved";
    }
    String message = cause.getMessage();
    return message == null
        ? cause.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }
}
