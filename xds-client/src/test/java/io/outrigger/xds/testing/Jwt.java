package io.outrigger.xds.testing;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Tokens of RFC 7519 that are not signed. */
public final class Jwt {
  private Jwt() {}

  /** A token with these claims, a JSON object. */
  public static String of(String claims) {
    return part("{\"alg\":\"none\"}") + "." + part(claims) + ".c2lnbmVk";
  }

  private static String part(String json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }
}
