package io.outrigger.identity.google;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.PlainText;
import io.outrigger.identity.certificate.SecretJson;
import io.outrigger.identity.token.AccessToken;
import io.outrigger.identity.token.NoToken;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/** An answer of a token server, whatever it may be (RFC 6749 section 5). */
final class TokenAnswer {
  private static final int OK = 200;
  private static final int MAX_REASON_CHARS = 200;

  /** What can stand in a header (RFC 6750 section 2.1), and is no longer than servers take. */
  private static final Pattern TOKEN = Pattern.compile("[\\w.~+/-]{1,8192}=*");

  /** Longer than words: perhaps a secret that a server quotes. */
  private static final Pattern SECRET = Pattern.compile("[\\w.~+/=%-]{24,}");

  private static final Duration LONGEST = Duration.ofDays(1);

  private TokenAnswer() {}

  /** The token in {@code answer}, or why there is none. */
  static AccessToken read(Account account, HttpResponse<byte[]> answer) throws NoToken {
    Optional<String> objection = account.objection(answer);
    if (objection.isPresent()) {
      throw new NoToken(objection.get());
    }
    Optional<JsonObject> content = SecretJson.object(answer.body());
    if (answer.statusCode() != OK) {
      throw new NoToken(
          "answered " + answer.statusCode() + content.map(TokenAnswer::error).orElse(""));
    }
    if (content.isEmpty()) {
      throw new NoToken("answered something that is not a JSON object");
    }
    String type = text(content.get(), "token_type").orElse("Bearer");
    if (!type.equalsIgnoreCase("Bearer")) {
      throw new NoToken("answered a token that is not of type Bearer");
    }
    String token = text(content.get(), "access_token").orElse("");
    if (!TOKEN.matcher(token).matches()) {
      throw new NoToken("answered without a usable access_token");
    }
    Duration lifetime = lifetime(content.get());
    if (lifetime.compareTo(Duration.ZERO) <= 0) {
      throw new NoToken("answered a token that ends in " + lifetime.toSeconds() + " s");
    }
    return new AccessToken(token, lifetime);
  }

  private static Duration lifetime(JsonObject content) throws NoToken {
    if (content.get("expires_in") instanceof JsonPrimitive primitive && primitive.isNumber()) {
      double seconds = primitive.getAsDouble();
      return seconds < LONGEST.toSeconds() ? Duration.ofSeconds((long) seconds) : LONGEST;
    }
    throw new NoToken("answered a token without expires_in");
  }

  /** The words of the server, without what might be a secret. */
  private static String error(JsonObject content) {
    String words =
        text(content, "error").orElse("")
            + text(content, "error_description").map(more -> ": " + more).orElse("");
    return words.isEmpty() ? "" : " " + quotable(words);
  }

  /** Words of others, cut short, and without what might be a secret. */
  static String quotable(String words) {
    String plain = SECRET.matcher(PlainText.of(words)).replaceAll("…");
    return plain.substring(0, Math.min(plain.length(), MAX_REASON_CHARS));
  }

  private static Optional<String> text(JsonObject content, String name) {
    JsonElement found = content.get(name);
    return found instanceof JsonPrimitive primitive && primitive.isString()
        ? Optional.of(primitive.getAsString())
        : Optional.empty();
  }
}
