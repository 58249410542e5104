package io.outrigger.program.options;

import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The program cannot start for a reason other than invalid input, such as a port in use. The
 * message is one line that names the flag, the reason and the remedy.
 */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** Matches a capital letter at the start of a text, or after ": ". */
  private static final Pattern CAPITAL = Pattern.compile("(^|: )[A-Z]");

  /** Maps a part of the operating system's error message for a failed bind to the remedy. */
  private static final Map<String, String> REMEDIES =
      Map.of(
          "already in use",
          "stop what listens there or choose another address",
          "cannot assign requested address",
          "choose an address of this host",
          "permission denied",
          "choose a port above 1023 or a folder that this user may write to, or give the process"
              + " the right (CAP_NET_BIND_SERVICE for ports)",
          "no such file or directory",
          "create the folder or choose another one",
          "not a socket",
          "remove the file or choose another path");

  public StartFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns the failure for an address that could not be bound.
   *
   * @param origin the flag and its value, such as {@code --forward 9001=xds:///orders}
   * @throws InvalidInput when the host of the address is unknown; the user has to correct the host
   */
  public static StartFailure cannotBind(String origin, Throwable cause) throws InvalidInput {
    if (Stream.iterate(cause, Objects::nonNull, Throwable::getCause)
        .anyMatch(UnresolvedAddressException.class::isInstance)) {
      throw new InvalidInput(
          origin
              + ": the name of the host cannot be resolved; give an address of this host or a name"
              + " that has one");
    }
    String reason = reason(cause);
    String remedy =
        REMEDIES.entrySet().stream()
            .filter(each -> reason.contains(each.getKey()))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse("choose another address");
    return new StartFailure("%s: %s; %s".formatted(origin, reason, remedy), cause);
  }

  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null
        ? cause.getClass().getSimpleName()
        : CAPITAL
            .matcher(message.lines().findFirst().orElse(""))
            .replaceAll(capital -> capital.group().toLowerCase(Locale.ROOT));
  }
}
