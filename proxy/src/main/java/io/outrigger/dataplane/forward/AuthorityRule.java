package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import java.util.regex.Pattern;

/**
 * Checks that a text has the form {@code host [":" port]} of RFC 3986 section 3.2, apart from the
 * digits of percent encodings. RFC 9113 section 8.3.1 forbids user information in {@code
 * :authority}, so a text with user information is rejected.
 */
final class AuthorityRule {
  private static final Pattern FORM =
      Pattern.compile("([\\w.~!$&'()*+,;=%-]++|\\[[\\w.~!$&'()*+,;=:-]++\\])(:[0-9]{0,5})?");

  private AuthorityRule() {}

  static boolean isObeyed(AsciiString text) {
    return FORM.matcher(text).matches();
  }
}
