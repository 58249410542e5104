package io.outrigger.xds.decode;

import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.WireText;
import java.util.Optional;

/** Decodes {@code StringMatcher} (A63). */
final class StringMatcherDecoder {
  private StringMatcherDecoder() {}

  static Optional<StringMatcher> decode(
      io.envoyproxy.envoy.type.matcher.v3.StringMatcher proto, FieldErrors errors) {
    boolean ignoreCase = proto.getIgnoreCase();
    return switch (proto.getMatchPatternCase()) {
      case EXACT -> Optional.of(new StringMatcher.Exact(WireText.of(proto.getExact()), ignoreCase));
      case PREFIX ->
          notEmpty(proto.getPrefix(), errors.at("prefix"))
              .map(prefix -> new StringMatcher.Prefix(prefix, ignoreCase));
      case SUFFIX ->
          notEmpty(proto.getSuffix(), errors.at("suffix"))
              .map(suffix -> new StringMatcher.Suffix(suffix, ignoreCase));
      case CONTAINS ->
          notEmpty(proto.getContains(), errors.at("contains"))
              .map(part -> new StringMatcher.Contains(part, ignoreCase));
      case SAFE_REGEX -> // A63: ignore_case does not apply
          RegexDecoder.decode(proto.getSafeRegex(), errors.at("safe_regex"))
              .map(StringMatcher.Regex::new);
      case CUSTOM -> {
        errors.at("custom").add("custom matchers are not supported");
        yield Optional.empty();
      }
      case MATCHPATTERN_NOT_SET -> {
        errors.add("no match pattern, or an unknown one");
        yield Optional.empty();
      }
    };
  }

  /**
   * Returns the text in the form in which requests hold it. An empty text is an error, because it
   * would match everything (A63).
   */
  static Optional<String> notEmpty(String text, FieldErrors errors) {
    if (text.isEmpty()) {
      errors.add("is empty");
      return Optional.empty();
    }
    return Optional.of(WireText.of(text));
  }
}
