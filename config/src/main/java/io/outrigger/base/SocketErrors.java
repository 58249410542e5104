package io.outrigger.base;

import java.io.FileNotFoundException;
import java.nio.channels.ClosedChannelException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Describes socket failures for people. Messages of exceptions contain function names and error
 * numbers, and differ between Netty's transports.
 */
public final class SocketErrors {
  /** Maps Linux error numbers and parts of system messages to descriptions. */
  private static final Map<String, String> WORDS = new LinkedHashMap<>();

  static {
    WORDS.put("104|connection reset", "connection reset by peer");
    WORDS.put("32|broken pipe", "connection closed by the peer (broken pipe)");
    WORDS.put("103|connection abort|software caused", "connection aborted");
    WORDS.put("110|timed out", "connection timed out");
    WORDS.put("111|connection refused", "connection refused");
    WORDS.put("113|no route to host", "no route to host");
    WORDS.put("101|network is unreachable|network unreachable", "network unreachable");
    WORDS.put("99|cannot assign requested address", "no local address or port is free");
    WORDS.put("23|24|too many open files", "too many open files");
    WORDS.put("12|105|no buffer space|cannot allocate memory", "the system has no memory for it");
    WORDS.put("2|20|no such file|not a directory", "no such file");
    WORDS.put("1|13|permission denied|operation not permitted", "permission denied");
  }

  /** Matches a TLS alert of the peer in exception messages of the JDK and of BoringSSL. */
  private static final Pattern ALERT =
      Pattern.compile("(?i)(?:received fatal alert: |(?:SSLV3|TLSV1)_ALERT_)(\\w+)");

  private static final Pattern NUMBER = Pattern.compile("error\\(-?(\\d+)\\)");

  private SocketErrors() {}

  public static String describe(@Nullable Throwable failure) {
    if (failure == null) {
      return "socket error";
    }
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (root instanceof FileNotFoundException && root.getMessage() == null) {
      return "the unix socket does not exist; is its server running?"; // thrown by Netty's epoll
    }
    if (root instanceof ClosedChannelException) {
      return "the connection was closed";
    }
    Optional<String> alert = tlsAlert(root);
    return alert.isPresent() ? "TLS alert " + alert.get() : describe(root.getMessage());
  }

  /**
   * Finds out from the message of {@code failure} whether the peer has sent a TLS alert. Returns
   * the alert's name as in RFC 8446, such as {@code unknown_ca}; empty without an alert.
   */
  public static Optional<String> tlsAlert(Throwable failure) {
    Matcher alert = ALERT.matcher(String.valueOf(failure.getMessage()));
    return alert.find() ? Optional.of(alert.group(1).toLowerCase(Locale.ROOT)) : Optional.empty();
  }

  static String describe(@Nullable String message) {
    String text = message == null ? "socket error" : message;
    Matcher number = NUMBER.matcher(text);
    boolean isNumbered = number.find();
    String errno = isNumbered ? number.group(1) : "";
    String lower = text.toLowerCase(Locale.ROOT);
    for (Map.Entry<String, String> known : WORDS.entrySet()) {
      for (String sign : known.getKey().split("\\|", -1)) {
        if (sign.equals(errno) || (sign.length() > 3 && lower.contains(sign))) {
          return known.getValue();
        }
      }
    }
    if (isNumbered) {
      return "socket error " + errno;
    }
    return lower.contains("(..)") ? "socket error" : text;
  }
}
