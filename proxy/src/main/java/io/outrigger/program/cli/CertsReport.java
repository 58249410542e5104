package io.outrigger.program.cli;

import com.google.gson.JsonParseException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the problems in the reply of {@code /certs}. */
final class CertsReport {
  private static final Duration SOON = Duration.ofDays(30);
  private static final int SOON_FRACTION = 5; // the last fifth of the validity, as on the page

  private CertsReport() {}

  /**
   * Returns one line for each problem that needs an operator: an identity that has expired or
   * expires soon, and files that are not in use.
   *
   * @throws JsonParseException when a certificate has an unexpected form
   */
  static List<String> problems(List<JsonView> providers, Instant now) {
    List<String> lines = new ArrayList<>();
    for (JsonView provider : providers) {
      List<JsonView> chain = provider.list("certificates");
      String name = "certificate " + provider.text("instance");
      chain.stream()
          .min(Comparator.comparing(CertsReport::end)) // without its issuer a leaf is of no use
          .filter(first -> endsSoon(first, now))
          .map(first -> "%s (%s): %s".formatted(name, identity(chain.get(0)), left(first, now)))
          .ifPresent(lines::add);
      if (!provider.text("error").isEmpty()) {
        lines.add(name + ": " + provider.text("error"));
      }
    }
    return lines;
  }

  private static Instant end(JsonView certificate) {
    return time(certificate.text("not_after"));
  }

  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new JsonParseException(e);
    }
  }

  /**
   * Whether less than 30 days and less than a fifth of the validity are left. Most certificates are
   * renewed after a half or two thirds of their validity.
   */
  private static boolean endsSoon(JsonView certificate, Instant now) {
    Instant end = end(certificate);
    Duration left = Duration.between(now, end);
    String begin = certificate.text("not_before");
    Duration whole = begin.isEmpty() ? SOON : Duration.between(time(begin), end);
    return left.compareTo(SOON) < 0 && left.compareTo(whole.dividedBy(SOON_FRACTION)) < 0;
  }

  private static String left(JsonView certificate, Instant now) {
    Duration left = Duration.between(now, end(certificate));
    return left.isNegative()
        ? "expired " + approximate(left.negated()) + " ago"
        : "ends in " + approximate(left);
  }

  /** Renders the time in the largest unit that gives at least 2. */
  private static String approximate(Duration time) {
    if (time.toDays() >= 2) {
      return time.toDays() + "d";
    }
    if (time.toHours() >= 2) {
      return time.toHours() + "h";
    }
    return time.toMinutes() >= 2 ? time.toMinutes() + "m" : time.toSeconds() + "s";
  }

  /** Returns the identity of a leaf: its first URI SAN, else its subject. */
  private static String identity(JsonView leaf) {
    return leaf.strings("uri_sans").stream().findFirst().orElse(leaf.text("subject"));
  }
}
