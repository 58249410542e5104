package io.outrigger.xds.decode;

import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.WireText;
import java.util.Locale;
import java.util.Optional;

/** Decodes {@code HeaderMatcher}: {@code string_match} and the deprecated fields (A28, A63). */
final class HeaderMatcherDecoder {
  private HeaderMatcherDecoder() {}

  static Optional<HeaderMatcher> decode(
      io.envoyproxy.envoy.config.route.v3.HeaderMatcher proto, FieldErrors errors) {
    if (proto.getName().isEmpty()) {
      errors.at("name").ignore("is empty; no request has such a header");
    }
    String name = proto.getName().toLowerCase(Locale.ROOT);
    boolean invert = proto.getInvertMatch();
    return switch (proto.getHeaderMatchSpecifierCase()) {
      case RANGE_MATCH -> {
        var range = proto.getRangeMatch();
        yield Optional.of(new HeaderMatcher.Range(name, range.getStart(), range.getEnd(), invert));
      }
      case PRESENT_MATCH ->
          Optional.of(new HeaderMatcher.Present(name, proto.getPresentMatch() != invert));
      default ->
          value(proto, errors).map(matcher -> new HeaderMatcher.Value(name, matcher, invert));
    };
  }

  @SuppressWarnings("deprecation") // control planes still send the deprecated fields
  private static Optional<StringMatcher> value(
      io.envoyproxy.envoy.config.route.v3.HeaderMatcher proto, FieldErrors errors) {
    return switch (proto.getHeaderMatchSpecifierCase()) {
      case STRING_MATCH ->
          StringMatcherDecoder.decode(proto.getStringMatch(), errors.at("string_match"));
      case EXACT_MATCH ->
          Optional.of(new StringMatcher.Exact(WireText.of(proto.getExactMatch()), false));
      case PREFIX_MATCH ->
          StringMatcherDecoder.notEmpty(proto.getPrefixMatch(), errors.at("prefix_match"))
              .map(prefix -> new StringMatcher.Prefix(prefix, false));
      case SUFFIX_MATCH ->
          StringMatcherDecoder.notEmpty(proto.getSuffixMatch(), errors.at("suffix_match"))
              .map(suffix -> new StringMatcher.Suffix(suffix, false));
      case CONTAINS_MATCH ->
          StringMatcherDecoder.notEmpty(proto.getContainsMatch(), errors.at("contains_match"))
              .map(part -> new StringMatcher.Contains(part, false));
      case SAFE_REGEX_MATCH ->
          RegexDecoder.decode(proto.getSafeRegexMatch(), errors.at("safe_regex_match"))
              .map(StringMatcher.Regex::new);
      default -> {
        errors.add("no header matcher, or an unknown one");
        yield Optional.empty();
      }
    };
  }
}
