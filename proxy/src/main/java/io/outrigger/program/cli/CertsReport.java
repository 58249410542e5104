package io.outrigger.program.cli;

import com.google.gson.JsonParseException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the problems in the reply of {@code /certs}. */
final class CertsReport {
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
      Validity validity = Validity.of(chain);
      if (validity.endsSoon(now)) {
        String left = validity.left(now);
        String end = left.startsWith("expired") ? left : "ends in " + left;
        lines.add("%s (%s): %s".formatted(name, identity(chain), end));
      }
      if (!provider.text("error").isEmpty()) {
        lines.add(name + ": " + provider.text("error"));
      }
    }
    return lines;
  }

  /**
   * The validity of the certificate that expires first in a chain. After an issuer has expired, the
   * leaf cannot be used either.
   */
  private record Validity(Optional<Instant> begin, Optional<Instant> end) {
    private static final Duration SOON = Duration.ofDays(30);
    private static final int SOON_FRACTION = 5; // the last fifth of the validity, as on the page

    static Validity of(List<JsonView> chain) {
      try {
        Optional<JsonView> first =
            chain.stream().min(Comparator.comparing(each -> Instant.parse(each.text("not_after"))));
        return new Validity(
            first
                .map(each -> each.text("not_before"))
                .filter(time -> !time.isEmpty())
                .map(Instant::parse),
            first.map(each -> Instant.parse(each.text("not_after"))));
      } catch (DateTimeException e) {
        throw new JsonParseException(e);
      }
    }

    /**
     * Whether less than 30 days and less than a fifth of the validity are left. Most certificates
     * are renewed after a half or two thirds of their validity.
     */
    boolean endsSoon(Instant now) {
      if (end.isEmpty()) {
        return false;
      }
      Duration left = Duration.between(now, end.get());
      Duration whole = begin.map(from -> Duration.between(from, end.get())).orElse(SOON);
      return left.compareTo(SOON) < 0 && left.compareTo(whole.dividedBy(SOON_FRACTION)) < 0;
    }

    String left(Instant now) {
      return end.map(time -> left(Duration.between(now, time))).orElse("");
    }

    private static String left(Duration time) {
      return time.isNegative()
          ? "expired " + approximate(time.negated()) + " ago"
          : approximate(time);
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
  }

  /** Returns the identity of the leaf: its first URI SAN, else its subject. */
  private static String identity(List<JsonView> chain) {
    if (chain.isEmpty()) {
      return "";
    }
    List<String> uris = chain.get(0).strings("uri_sans");
    return uris.isEmpty() ? chain.get(0).text("subject") : uris.get(0);
  }
}
