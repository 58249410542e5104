package io.outrigger.proxy.cli;

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

/** The answer of {@code /certs} as a table: a line for each provider instance. */
final class CertsReport {
  private CertsReport() {}

  /**
   * Renders it as lines.
   *
   * @param certs of {@code /certs}
   * @param now by which certificates are valid for some time, or have expired
   * @throws JsonParseException when it is not of its form
   */
  static List<String> render(String certs, Instant now) {
    TextTable table =
        new TextTable(
            "INSTANCE", "IDENTITY", "SANS", "NOT AFTER", "LEFT", "ROOTS", "LOADED", "ERROR");
    try {
      for (JsonElement element : JsonParser.parseString(certs).getAsJsonArray()) {
        JsonObject provider = element.getAsJsonObject();
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
      }
    } catch (IllegalStateException
        | UnsupportedOperationException
        | NullPointerException
        | ClassCastException
        | DateTimeException e) {
      throw new JsonParseException(e);
    }
    return table.lines();
  }

  /** When the first certificate of a chain ends: with an issuer the leaf cannot be used either. */
  private record Validity(Optional<Instant> end) {
    static Validity of(JsonArray chain) {
      return new Validity(
          chain.asList().stream()
              .map(each -> Instant.parse(each.getAsJsonObject().get("not_after").getAsString()))
              .min(Comparator.naturalOrder()));
    }

    String text() {
      return end.map(time -> time.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("");
    }

    String left(Instant now) {
      return end.map(time -> left(Duration.between(now, time))).orElse("");
    }

    private static String left(Duration time) {
      return time.isNegative() ? "expired " + rough(time.negated()) + " ago" : rough(time);
    }

    /** In the largest unit of which there are two at least. */
    private static String rough(Duration time) {
      if (time.toDays() >= 2) {
        return time.toDays() + "d";
      }
      if (time.toHours() >= 2) {
        return time.toHours() + "h";
      }
      return time.toMinutes() >= 2 ? time.toMinutes() + "m" : time.toSeconds() + "s";
    }
  }

  /** By which people know the leaf: its first URI SAN, else its subject. */
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

  /** Empty where it is null. */
  private static String optional(JsonObject provider, String name) {
    JsonElement value = provider.get(name);
    return value.isJsonNull() ? "" : value.getAsString();
  }
}
