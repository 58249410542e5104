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

/** Parses the response of a token server (RFC 6749 section 5); throws if there is no token. */
final class TokenAnswer {
  private static final int OK = 200;
  private static final int MAX_REASON_CHARS = 200;

  /**
   * A token that may be sent in a header (RFC 6750 section 2.1), of a length that servers accept.
   */
  private static final Pattern TOKEN = Pattern.compile("[\\w.~+/-]{1,8192}=*");

  /** Matches long words in an error message, because a server may quote a secret in the message. */
  private static final Pattern SECRET = Pattern.compile("[\\w.~+/=%-]{24,}");

  private static final Duration MAX_LIFETIME = Duration.ofDays(1);

  private TokenAnswer() {}

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
      return seconds < MAX_LIFETIME.toSeconds() ? Duration.ofSeconds((long) seconds) : MAX_LIFETIME;
    }
    throw new NoToken("answered a token without expires_in");
  }

  private static String error(JsonObject content) {
    String words =
        text(content, "error").orElse("")
            + text(content, "error_description").map(more -> ": " + more).orElse("");
    return words.isEmpty() ? "" : " " + quotable(words);
  }

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
