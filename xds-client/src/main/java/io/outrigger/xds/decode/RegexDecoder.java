package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import java.util.Optional;

/**
 * Decodes {@code safe_regex}, which has RE2 syntax (A28 "Path Matching"). An expression that {@link
 * RegexSize} finds too large is an error.
 */
final class RegexDecoder {
  private RegexDecoder() {}

  static Optional<Pattern> decode(RegexMatcher proto, FieldErrors errors) {
    String regex = proto.getRegex();
    FieldErrors here = errors.at("regex");
    Optional<String> reasonTooLarge = new RegexSize(regex).reasonTooLarge();
    if (reasonTooLarge.isPresent()) {
      here.add(reasonTooLarge.get());
      return Optional.empty();
    }
    try {
      return Optional.of(Pattern.compile(regex));
    } catch (PatternSyntaxException e) {
      here.add("invalid RE2 expression " + quoted(regex) + ": " + e.getDescription());
      return Optional.empty();
    }
  }
}
