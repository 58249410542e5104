package io.outrigger.identity.token;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.identity.certificate.SecretJson;
import io.outrigger.identity.certificate.UnusableFile;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The JWT in a bootstrap's {@code jwt_token_file} (A97). The token's {@code exp} claim is its
 * expiry (RFC 7519). The server, not this class, verifies the signature.
 */
public record JwtTokenFile(Executor reading, String path) implements TokenSource {
  public static final int MAX_BYTES = 64 << 10;

  /** The form of a JWT: three parts in base64url, whose characters are legal in a header. */
  private static final Pattern FORM = Pattern.compile("[\\w-]+\\.([\\w-]+)\\.[\\w-]*");

  @Override
  public CompletableFuture<AccessToken> fetch(Instant now) {
    var result = new CompletableFuture<AccessToken>();
    reading.execute(
        () -> {
          try {
            result.complete(read(path, now));
          } catch (NoToken | RuntimeException failure) {
            result.completeExceptionally(failure);
          }
        });
    return result;
  }

  public static AccessToken read(String path, Instant now) throws NoToken {
    try {
      return of(CredentialFile.read("jwt_token_file", path, MAX_BYTES), now);
    } catch (UnusableFile unusable) {
      throw new NoToken(unusable.reason());
    }
  }

  static AccessToken of(CredentialFile file, Instant now) throws NoToken {
    String text = file.text().strip();
    Instant expiry;
    try {
      expiry = expiry(file, text);
    } catch (UnusableFile unusable) {
      throw NoToken.unusable(unusable.reason());
    }
    if (!expiry.isAfter(now)) { // the server's refusal would explain less
      throw NoToken.unusable(file + " has expired at " + expiry);
    }
    return new AccessToken(text, Duration.between(now, expiry));
  }

  private static JsonObject claims(CredentialFile file, String text) throws UnusableFile {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw file.unusable("is not a JWT of three parts");
    }
    try {
      return SecretJson.object(Base64.getUrlDecoder().decode(form.group(1))).orElseThrow();
    } catch (RuntimeException notBase64OrNotJson) {
      throw file.unusable("has claims that are not base64url of a JSON object");
    }
  }

  private static Instant expiry(CredentialFile file, String text) throws UnusableFile {
    if (!(claims(file, text).get("exp") instanceof JsonPrimitive end && end.isNumber())) {
      throw file.unusable("has no exp claim, or one that is not a number");
    }
    try {
      return Instant.ofEpochSecond((long) end.getAsDouble());
    } catch (DateTimeException e) {
      throw file.unusable("has an exp claim that is not a time");
    }
  }

  public static Optional<Instant> expiry(String token) {
    try {
      return Optional.of(expiry(new CredentialFile("", "", ""), token));
    } catch (UnusableFile noExpiry) {
      return Optional.empty();
    }
  }

  public static Optional<String> subject(String token) {
    try {
      return claims(new CredentialFile("", "", ""), token).get("sub") instanceof JsonPrimitive name
          ? Optional.of(name.getAsString())
          : Optional.empty();
    } catch (UnusableFile noSubject) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {}
}
