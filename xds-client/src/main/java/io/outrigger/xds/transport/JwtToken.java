package io.outrigger.xds.transport;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * A token as the server wants it, and its end (RFC 7519 {@code exp}). Whether it is genuine is the
 * server's question (A97).
 */
record JwtToken(String text, Instant expiry) {
  /** Three parts in base64url; nothing else could stand in a header. */
  private static final Pattern FORM = Pattern.compile("[\\w-]+\\.([\\w-]+)\\.[\\w-]*");

  /**
   * Reads the content of a token file.
   *
   * @throws IllegalArgumentException with the reason; never with a part of the token
   */
  static JwtToken parse(String content) {
    String text = content.strip();
    var form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException("is not a JWT of three parts");
    }
    var claims = Struct.newBuilder();
    try {
      byte[] json = Base64.getUrlDecoder().decode(form.group(1));
      JsonFormat.parser().merge(new String(json, StandardCharsets.UTF_8), claims);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new IllegalArgumentException("has claims that are not base64url of a JSON object", e);
    }
    Value expiry = claims.getFieldsOrDefault("exp", Value.getDefaultInstance());
    if (!expiry.hasNumberValue()) {
      throw new IllegalArgumentException("has no exp claim, or one that is not a number");
    }
    try {
      return new JwtToken(text, Instant.ofEpochSecond((long) expiry.getNumberValue()));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("has an exp claim that is not a time", e);
    }
  }

  @Override
  public String toString() {
    return "JWT until " + expiry; // never the token itself
  }
}
