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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** An account for which tokens are requested; creates the requests. */
sealed interface Account {
  /** The OAuth scope that Google's control planes require (gRPC's {@code google_default}). */
  String SCOPE = "https://www.googleapis.com/auth/cloud-platform";

  /**
   * The requests for a token; each is sent only when the server of the previous one cannot be
   * reached.
   */
  List<HttpRequest> requests(Instant now) throws NoToken;

  /** The reason why {@code answer} cannot come from the intended server; empty when it can. */
  default Optional<String> objection(HttpResponse<?> answer) {
    return Optional.empty();
  }

  /**
   * The account of the machine or pod, whose tokens the metadata server of the local network
   * provides.
   *
   * @param hosts host names or addresses, each with an optional port
   */
  record MetadataServer(List<String> hosts) implements Account {
    private static final String FLAVOR = "Metadata-Flavor";
    private static final String GOOGLE = "Google";
    private static final String PATH =
        "/computeMetadata/v1/instance/service-accounts/default/token?scopes=";

    public MetadataServer {
      hosts = List.copyOf(hosts);
    }

    static URI uri(String host) {
      return URI.create("http://" + host + PATH + encoded(SCOPE));
    }

    @Override
    public List<HttpRequest> requests(Instant now) {
      return hosts.stream()
          .map(host -> HttpRequest.newBuilder(uri(host)).header(FLAVOR, GOOGLE).build())
          .toList();
    }

    /**
     * Requires the header of Google's metadata server: on another network its address may belong to
     * any machine.
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
    public List<HttpRequest> requests(Instant now) throws NoToken {
      return List.of(
          form(
              tokenUri,
              Map.of(
                  "grant_type",
                  "urn:ietf:params:oauth:grant-type:jwt-bearer",
                  "assertion",
                  assertion(now))));
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
      return "service account " + email; // never the key
    }
  }

  private static HttpRequest form(URI to, Map<String, String> fields) {
    String body =
        new TreeMap<>(fields)
            .entrySet().stream()
                .map(each -> each.getKey() + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    return HttpRequest.newBuilder(to)
        .header("content-type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
