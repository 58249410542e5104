package io.outrigger.identity.certificate;

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
    Map<String, List<X509Certificate>> bundles = new LinkedHashMap<>();
    JsonObject domains = object(member(document(), "", "trust_domains"), "trust_domains");
    for (Map.Entry<String, JsonElement> entry : domains.entrySet()) {
      String place = "trust_domains[\"" + PlainText.of(entry.getKey()) + "\"]";
      if (!SpiffeId.isTrustDomain(entry.getKey())) {
        throw wrong(place, "is not the name of a trust domain");
      }
      bundles.put(entry.getKey(), bundle(object(entry.getValue(), place), place));
    }
    return new Roots.SpiffeBundles(bundles);
  }

  private JsonObject document() throws UnusableFile {
    return file.json().orElseThrow(() -> file.unusable("is not a JSON object with trust_domains"));
  }

  private List<X509Certificate> bundle(JsonObject set, String place) throws UnusableFile {
    JsonElement sequence = set.get("spiffe_sequence");
    if (sequence != null
        && !(sequence instanceof JsonPrimitive primitive && primitive.isNumber())) {
      throw wrong(place + ".spiffe_sequence", "is not a number");
    }
    JsonElement keys = member(set, place, "keys");
    if (!keys.isJsonArray()) {
      throw wrong(place + ".keys", "is not an array");
    }
    List<X509Certificate> roots = new ArrayList<>();
    int index = 0;
    for (JsonElement element : keys.getAsJsonArray()) {
      String here = place + ".keys[" + index++ + "]";
      JsonObject key = object(element, here);
      String use = text(member(key, here, "use"), here + ".use");
      if (use.equals(X509)) {
        roots.add(root(key, here));
      } else if (!use.equals(JWT)) {
        throw wrong(here + ".use", "is neither " + X509 + " nor " + JWT);
      }
    }
    return roots;
  }

  private X509Certificate root(JsonObject key, String place) throws UnusableFile {
    String type = text(member(key, place, "kty"), place + ".kty");
    if (!type.equals("RSA") && !type.equals("EC")) {
      throw wrong(place + ".kty", "is neither RSA nor EC");
    }
    JsonElement chain = member(key, place, "x5c");
    if (!chain.isJsonArray() || chain.getAsJsonArray().size() != 1) {
      throw wrong(place + ".x5c", "is not an array of one certificate");
    }
    String base64 = text(chain.getAsJsonArray().get(0), place + ".x5c[0]");
    String damaged = "is not a trust bundle map: " + place + ".x5c[0] is not a certificate";
    return file.parsed(
        damaged, () -> CertificateReader.parse(file, damaged, Base64.getDecoder().decode(base64)));
  }

  private JsonElement member(JsonObject object, String place, String name) throws UnusableFile {
    JsonElement value = object.get(name);
    if (value == null || value.isJsonNull()) {
      throw wrong(place.isEmpty() ? name : place + "." + name, "is missing");
    }
    return value;
  }

  private JsonObject object(JsonElement element, String place) throws UnusableFile {
    if (element instanceof JsonObject object) {
      return object;
    }
    throw wrong(place, "is not an object");
  }

  private String text(JsonElement element, String place) throws UnusableFile {
    if (element instanceof JsonPrimitive primitive && primitive.isString()) {
      return primitive.getAsString();
    }
    throw wrong(place, "is not a text");
  }

  private UnusableFile wrong(String place, String reason) {
    return file.unusable("is not a trust bundle map: " + place + " " + reason);
  }
}
