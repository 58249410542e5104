package io.outrigger.identity.google;

import com.google.gson.JsonObject;
import io.outrigger.identity.token.NoToken;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

sealed interface Account {
  /** The OAuth scope that Google's control planes require (gRPC's {@code google_default}). */
  String SCOPE = "https://www.googleapis.com/auth/cloud-platform";

  HttpRequest request(Instant now) throws NoToken;

  /** Returns why the response cannot come from the intended token server; empty if it can. */
  default Optional<String> objection(HttpResponse<?> answer) {
    return Optional.empty();
  }

  /**
   * The account of this machine or pod, whose tokens the metadata server of the local network
   * provides.
   *
   * @param host a host name or address, with an optional port
   */
  record MetadataServer(String host) implements Account {
    private static final String FLAVOR = "Metadata-Flavor";
    private static final String GOOGLE = "Google";
    private static final String PATH =
        "/computeMetadata/v1/instance/service-accounts/default/token?scopes=";

    URI uri() {
      return URI.create("http://" + host + PATH + encoded(SCOPE));
    }

    @Override
    public HttpRequest request(Instant now) {
      return HttpRequest.newBuilder(uri()).header(FLAVOR, GOOGLE).build();
    }

    /**
     * Requires the header that Google's metadata server adds to its responses, because in another
     * network any machine may have the address of this server.
     */
    @Override
    public Optional<String> objection(HttpResponse<?> answer) {
      return answer.headers().firstValue(FLAVOR).equals(Optional.of(GOOGLE))
          ? Optional.empty()
          : Optional.of("is no metadata server of Google: it does not say Metadata-Flavor: Google");
    }
  }

  /** A service account with its own key, which signs the token requests (RFC 7523). */
  record ServiceAccount(String email, String keyId, PrivateKey key, URI tokenUri)
      implements Account {
    private static final Duration MAX_LIFETIME = Duration.ofHours(1);
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    @Override
    public HttpRequest request(Instant now) throws NoToken {
      String body =
          "grant_type=%s&assertion=%s"
              .formatted(
                  encoded("urn:ietf:params:oauth:grant-type:jwt-bearer"), encoded(assertion(now)));
      return HttpRequest.newBuilder(tokenUri)
          .header("content-type", "application/x-www-form-urlencoded")
          .POST(BodyPublishers.ofString(body))
          .build();
    }

    private String assertion(Instant now) throws NoToken {
      var header = new JsonObject();
      header.addProperty("alg", "RS256");
      header.addProperty("typ", "JWT");
      header.addProperty("kid", keyId);
      var claims = new JsonObject();
      claims.addProperty("iss", email);
      claims.addProperty("scope", SCOPE);
      claims.addProperty("aud", tokenUri.toString());
      claims.addProperty("iat", now.getEpochSecond());
      claims.addProperty("exp", now.plus(MAX_LIFETIME).getEpochSecond());
      String signed = part(header) + "." + part(claims);
      try {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(key);
        signature.update(signed.getBytes(StandardCharsets.US_ASCII));
        return signed + "." + BASE64.encodeToString(signature.sign());
      } catch (GeneralSecurityException e) { // the exception's message might quote the key
        throw new NoToken("the private key of the service account cannot sign: " + e.getClass());
      }
    }

    private static String part(JsonObject json) {
      return BASE64.encodeToString(json.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
      return "service account " + email; // omits the key
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
