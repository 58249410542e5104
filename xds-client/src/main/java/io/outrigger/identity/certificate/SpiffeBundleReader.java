package io.outrigger.identity.certificate;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.PlainText;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a SPIFFE trust bundle map (A87). The map has a set of JSON Web Keys for each trust domain;
 * the X.509 keys carry a root in {@code x5c}. One wrong entry makes the whole map unusable. SPIRE
 * also writes keys for JWTs into the sets; these are ignored (decision xds 0046).
 */
final class SpiffeBundleReader {
  private static final String X509 = "x509-svid";
  private static final String JWT = "jwt-svid";

  private final CredentialFile file;

  private SpiffeBundleReader(CredentialFile file) {
    this.file = file;
  }

  static Roots.SpiffeBundles read(CredentialFile file) throws UnusableFile {
    return file.parsed(
        "is not a trust bundle map: its content is not readable",
        new SpiffeBundleReader(file)::map);
  }

  private Roots.SpiffeBundles map() throws UnusableFile {
    JsonObject document =
        file.json().orElseThrow(() -> file.unusable("is not a JSON object with trust_domains"));
    Map<String, List<X509Certificate>> bundles = new LinkedHashMap<>();
    JsonObject domains = object(document.get("trust_domains"), "trust_domains");
    for (Map.Entry<String, JsonElement> entry : domains.entrySet()) {
      String place = "trust_domains[\"" + PlainText.of(entry.getKey()) + "\"]";
      if (!SpiffeId.isTrustDomain(entry.getKey())) {
        throw wrong(place, "is not the name of a trust domain");
      }
      bundles.put(entry.getKey(), bundle(object(entry.getValue(), place), place));
    }
    return new Roots.SpiffeBundles(bundles);
  }

  private List<X509Certificate> bundle(JsonObject set, String place) throws UnusableFile {
    if (set.has("spiffe_sequence")
        && !(set.get("spiffe_sequence") instanceof JsonPrimitive number && number.isNumber())) {
      throw wrong(place + ".spiffe_sequence", "is not a number");
    }
    List<X509Certificate> roots = new ArrayList<>();
    int index = 0;
    for (JsonElement element :
        value(set.get("keys"), JsonArray.class, "an array", place + ".keys")) {
      String here = place + ".keys[" + index++ + "]";
      JsonObject key = object(element, here);
      String use = text(key, here, "use");
      if (use.equals(X509)) {
        roots.add(root(key, here));
      } else if (!use.equals(JWT)) {
        throw wrong(here + ".use", "is neither " + X509 + " nor " + JWT);
      }
    }
    return roots;
  }

  private X509Certificate root(JsonObject key, String place) throws UnusableFile {
    String type = text(key, place, "kty");
    if (!type.equals("RSA") && !type.equals("EC")) {
      throw wrong(place + ".kty", "is neither RSA nor EC");
    }
    String kind = "an array of one certificate";
    JsonArray chain = value(key.get("x5c"), JsonArray.class, kind, place + ".x5c");
    if (chain.size() != 1) {
      throw wrong(place + ".x5c", "is not " + kind);
    }
    String encoded = string(chain.get(0), place + ".x5c[0]");
    String damaged = "is not a trust bundle map: " + place + ".x5c[0] is not a certificate";
    return file.parsed(
        damaged,
        () -> {
          byte[] der = Base64.getDecoder().decode(encoded);
          return CertificateReader.parse(file, damaged, der);
        });
  }

  private String text(JsonObject of, String place, String name) throws UnusableFile {
    return string(of.get(name), place + "." + name);
  }

  private String string(@Nullable JsonElement value, String place) throws UnusableFile {
    JsonPrimitive text = value(value, JsonPrimitive.class, "a text", place);
    if (!text.isString()) {
      throw wrong(place, "is not a text");
    }
    return text.getAsString();
  }

  private JsonObject object(@Nullable JsonElement value, String place) throws UnusableFile {
    return value(value, JsonObject.class, "an object", place);
  }

  private <T extends JsonElement> T value(
      @Nullable JsonElement value, Class<T> type, String kind, String place) throws UnusableFile {
    if (value == null || value.isJsonNull()) {
      throw wrong(place, "is missing");
    }
    if (!type.isInstance(value)) {
      throw wrong(place, "is not " + kind);
    }
    return type.cast(value);
  }

  private UnusableFile wrong(String place, String reason) {
    return file.unusable("is not a trust bundle map: " + place + " " + reason);
  }
}
