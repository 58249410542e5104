package io.outrigger.identity.certificate;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.PlainText;
import io.outrigger.config.bootstrap.JsonNode;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a SPIFFE trust bundle map (A87). The map assigns a set of JSON Web Keys to each trust
 * domain. The field {@code x5c} of each X.509 key has a root certificate. One wrong entry makes the
 * whole map unusable. Keys for JWTs, which SPIRE also writes into the sets, are ignored (decision
 * xds-0046).
 */
final class SpiffeBundleReader {
  private static final String X509 = "x509-svid";
  private static final String JWT = "jwt-svid";
  private static final String NO_MAP = "is not a trust bundle map: ";

  private final CredentialFile file;
  private final JsonNode.Findings findings = new JsonNode.Findings();

  private SpiffeBundleReader(CredentialFile file) {
    this.file = file;
  }

  static Roots.SpiffeBundles read(CredentialFile file) throws UnusableFile {
    return file.parsed(NO_MAP + "its content is not readable", new SpiffeBundleReader(file)::map);
  }

  private Roots.SpiffeBundles map() throws UnusableFile {
    JsonObject document =
        file.json().orElseThrow(() -> file.unusable("is not a JSON object with trust_domains"));
    JsonNode root = new JsonNode(document, "$", findings);
    requireMember(root, "trust_domains");
    Map<String, List<X509Certificate>> bundles = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> each : root.members("trust_domains").entrySet()) {
      if (!SpiffeId.isTrustDomain(each.getKey())) {
        each.getValue().error("is not the name of a trust domain");
      } else if (each.getValue().isObject()) {
        bundles.put(each.getKey(), bundle(each.getValue()));
      }
    }
    if (!findings.errors().isEmpty()) {
      throw file.unusable(NO_MAP + PlainText.of(findings.errors().get(0).toString()));
    }
    return new Roots.SpiffeBundles(bundles);
  }

  private static void requireMember(JsonNode object, String name) {
    if (object.member(name).isEmpty()) {
      object.error(name, "is missing");
    }
  }

  private List<X509Certificate> bundle(JsonNode set) throws UnusableFile {
    Optional<JsonNode> sequence = set.member("spiffe_sequence");
    if (sequence.isPresent()
        && !(sequence.get().value() instanceof JsonPrimitive number && number.isNumber())) {
      sequence.get().error("is not a number");
    }
    requireMember(set, "keys");
    List<X509Certificate> roots = new ArrayList<>();
    for (JsonNode key : set.elements("keys")) {
      String use = key.isObject() ? key.requiredText("use").orElse(JWT) : JWT;
      if (use.equals(X509)) {
        root(key).ifPresent(roots::add);
      } else if (!use.equals(JWT)) {
        key.error("use", "is neither " + X509 + " nor " + JWT);
      }
    }
    return roots;
  }

  private Optional<X509Certificate> root(JsonNode key) throws UnusableFile {
    Optional<String> type = key.requiredText("kty");
    if (type.isPresent() && !type.get().equals("RSA") && !type.get().equals("EC")) {
      key.error("kty", "is neither RSA nor EC");
    }
    List<JsonNode> chain = key.elements("x5c");
    if (chain.size() != 1) {
      key.error("x5c", "is not an array of one certificate");
      return Optional.empty();
    }
    Optional<String> encoded = chain.get(0).text();
    if (encoded.isEmpty()) {
      return Optional.empty();
    }
    String damaged = NO_MAP + chain.get(0).path() + " is not a certificate";
    return Optional.of(
        file.parsed(
            damaged,
            () -> {
              byte[] der = Base64.getDecoder().decode(encoded.get());
              return CertificateReader.parse(file, damaged, der);
            }));
  }
}
