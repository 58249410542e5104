package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Renders the reply of {@code /certs} as a table with one line per provider instance. */
final class CertsReport {
  private CertsReport() {}

  /**
   * Renders the reply as lines.
   *
   * @param certs the body of {@code /certs}
   * @param now the current time, which decides whether certificates have expired
   * @throws JsonParseException when {@code certs} has an unexpected form
   */
  static List<String> render(String certs, Instant now) {
    TextTable table =
        new TextTable(
            "INSTANCE", "IDENTITY", "SANS", "NOT AFTER", "LEFT", "ROOTS", "LOADED", "ERROR");
    forEach(
        certs,
        provider -> {
          JsonArray chain = provider.getAsJsonArray("certificates");
          Validity validity = Validity.of(chain);
          table.row(
              provider.get("instance").getAsString(),
              identity(chain),
              sans(chain),
              validity.text(),
              validity.left(now),
              String.valueOf(provider.getAsJsonArray("roots").size()),
              optional(provider, "loaded").replaceFirst("(\\.\\d{3})\\d+Z$", "$1Z"),
              optional(provider, "error"));
        });
    return table.lines();
  }

  /**
   * Returns one line for each problem that needs an operator: an identity that has expired or
   * expires soon, and files that are not in use.
   *
   * @throws JsonParseException when {@code certs} has an unexpected form
   */
  static List<String> problems(String certs, Instant now) {
    List<String> lines = new ArrayList<>();
    forEach(
        certs,
        provider -> {
          JsonArray chain = provider.getAsJsonArray("certificates");
          String name = "certificate " + provider.get("instance").getAsString();
          Validity validity = Validity.of(chain);
          if (validity.endsSoon(now)) {
            String left = validity.left(now);
            lines.add(
                "%s (%s): %s"
                    .formatted(
                        name,
                        identity(chain),
                        left.startsWith("expired") ? left : "ends in " + left));
          }
          if (!optional(provider, "error").isEmpty()) {
            lines.add(name + ": " + optional(provider, "error"));
          }
        });
    return lines;
  }

  private static void forEach(String certs, Consumer<JsonObject> provider) {
    try {
      for (JsonElement element : JsonParser.parseString(certs).getAsJsonArray()) {
        provider.accept(element.getAsJsonObject());
      }
    } catch (IllegalStateException
        | UnsupportedOperationException
        | NullPointerException
        | ClassCastException
        | DateTimeException e) {
      throw new JsonParseException(e);
    }
  }

  /**
   * The validity of the certificate that expires first in a chain. After an issuer has expired, the
   * leaf cannot be used either.
   */
  private record Validity(Optional<Instant> begin, Optional<Instant> end) {
    private static final Duration SOON = Duration.ofDays(30);
    private static final int SOON_FRACTION = 5; // the last fifth of the validity, as on the page

    static Validity of(JsonArray chain) {
      Optional<JsonObject> first =
          chain.asList().stream()
              .map(JsonElement::getAsJsonObject)
              .min(
                  Comparator.comparing(each -> Instant.parse(each.get("not_after").getAsString())));
      return new Validity(time(first, "not_before"), time(first, "not_after"));
    }

    private static Optional<Instant> time(Optional<JsonObject> certificate, String name) {
      return certificate.map(each -> each.get(name)).map(time -> Instant.parse(time.getAsString()));
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

    String text() {
      return end.map(time -> time.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("");
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
  private static String identity(JsonArray chain) {
    if (chain.isEmpty()) {
      return "";
    }
    JsonArray uris = leaf(chain).getAsJsonArray("uri_sans");
    return uris.isEmpty() ? leaf(chain).get("subject").getAsString() : uris.get(0).getAsString();
  }

  private static String sans(JsonArray chain) {
    List<String> names = new ArrayList<>();
    if (!chain.isEmpty()) {
      leaf(chain).getAsJsonArray("uri_sans").forEach(each -> names.add(each.getAsString()));
      leaf(chain).getAsJsonArray("dns_sans").forEach(each -> names.add(each.getAsString()));
    }
    return String.join(", ", names);
  }

  private static JsonObject leaf(JsonArray chain) {
    return chain.get(0).getAsJsonObject();
  }

  /** Returns the member {@code name}; empty for JSON null. */
  private static String optional(JsonObject provider, String name) {
    JsonElement value = provider.get(name);
    return value.isJsonNull() ? "" : value.getAsString();
  }
}
