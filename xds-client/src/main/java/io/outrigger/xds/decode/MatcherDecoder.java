package io.outrigger.xds.decode;

import io.envoyproxy.envoy.type.v3.FractionalPercent;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.WireText;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;

/** Decodes fractions, and the matchers of routes and policies for paths, headers and strings. */
final class MatcherDecoder {
  private MatcherDecoder() {}

  /** Decodes the conditions of a route (A28). */
  static Optional<RouteMatch> route(
      io.envoyproxy.envoy.config.route.v3.RouteMatch proto, FieldErrors errors) {
    Optional<StringMatcher> path = path(proto, errors);
    List<HeaderMatcher> headers =
        errors.each("headers", proto.getHeadersList(), MatcherDecoder::header);
    Optional<Fraction> fraction = runtimeFraction(proto, errors.at("runtime_fraction"));
    return path.map(matcher -> new RouteMatch(matcher, headers, fraction));
  }

  private static Optional<StringMatcher> path(
      io.envoyproxy.envoy.config.route.v3.RouteMatch proto, FieldErrors errors) {
    // case_sensitive is a wrapper message; unset means true.
    boolean ignoreCase = proto.hasCaseSensitive() && !proto.getCaseSensitive().getValue();
    return switch (proto.getPathSpecifierCase()) {
      case PREFIX ->
          Optional.of(new StringMatcher.Prefix(WireText.of(proto.getPrefix()), ignoreCase));
      case PATH -> Optional.of(new StringMatcher.Exact(WireText.of(proto.getPath()), ignoreCase));
      case SAFE_REGEX ->
          RegexDecoder.decode(proto.getSafeRegex(), errors.at("safe_regex"))
              .map(StringMatcher.Regex::new);
      case PATHSPECIFIER_NOT_SET ->
          errors.refuse(
              "no path specifier, or an unknown one; supported: prefix, path, safe_regex");
      default ->
          errors
              .at(FieldErrors.fieldOf(proto.getPathSpecifierCase()))
              .refuse("not supported as path specifier; supported: prefix, path, safe_regex");
    };
  }

  private static Optional<Fraction> runtimeFraction(
      io.envoyproxy.envoy.config.route.v3.RouteMatch proto, FieldErrors errors) {
    if (!proto.hasRuntimeFraction()) {
      return Optional.empty();
    }
    if (!proto.getRuntimeFraction().hasDefaultValue()) {
      errors.at("default_value").ignore("is missing, which means 0; the route matches no request");
    }
    return fraction(proto.getRuntimeFraction().getDefaultValue(), errors.at("default_value"));
  }

  /** Decodes {@code string_match} and the deprecated fields (A28, A63). */
  static Optional<HeaderMatcher> header(
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
      case STRING_MATCH -> text(proto.getStringMatch(), errors.at("string_match"));
      case EXACT_MATCH ->
          Optional.of(new StringMatcher.Exact(WireText.of(proto.getExactMatch()), false));
      case PREFIX_MATCH ->
          part(proto.getPrefixMatch(), StringMatcher.Prefix::new, false, errors.at("prefix_match"));
      case SUFFIX_MATCH ->
          part(proto.getSuffixMatch(), StringMatcher.Suffix::new, false, errors.at("suffix_match"));
      case CONTAINS_MATCH ->
          part(
              proto.getContainsMatch(),
              StringMatcher.Contains::new,
              false,
              errors.at("contains_match"));
      case SAFE_REGEX_MATCH ->
          RegexDecoder.decode(proto.getSafeRegexMatch(), errors.at("safe_regex_match"))
              .map(StringMatcher.Regex::new);
      default -> errors.refuse("no header matcher, or an unknown one");
    };
  }

  /** Decodes {@code StringMatcher} (A63). */
  static Optional<StringMatcher> text(
      io.envoyproxy.envoy.type.matcher.v3.StringMatcher proto, FieldErrors errors) {
    boolean ignoreCase = proto.getIgnoreCase();
    return switch (proto.getMatchPatternCase()) {
      case EXACT -> Optional.of(new StringMatcher.Exact(WireText.of(proto.getExact()), ignoreCase));
      case PREFIX ->
          part(proto.getPrefix(), StringMatcher.Prefix::new, ignoreCase, errors.at("prefix"));
      case SUFFIX ->
          part(proto.getSuffix(), StringMatcher.Suffix::new, ignoreCase, errors.at("suffix"));
      case CONTAINS ->
          part(proto.getContains(), StringMatcher.Contains::new, ignoreCase, errors.at("contains"));
      case SAFE_REGEX -> // A63: ignore_case does not apply
          RegexDecoder.decode(proto.getSafeRegex(), errors.at("safe_regex"))
              .map(StringMatcher.Regex::new);
      case CUSTOM -> errors.at("custom").refuse("custom matchers are not supported");
      case MATCHPATTERN_NOT_SET -> errors.refuse("no match pattern, or an unknown one");
    };
  }

  /** An empty substring is an error, because an empty substring matches everything (A63). */
  private static Optional<StringMatcher> part(
      String text,
      BiFunction<String, Boolean, StringMatcher> matcher,
      boolean ignoreCase,
      FieldErrors errors) {
    if (text.isEmpty()) {
      return errors.refuse("is empty");
    }
    return Optional.of(matcher.apply(WireText.of(text), ignoreCase));
  }

  static Optional<Fraction> fraction(FractionalPercent proto, FieldErrors errors) {
    int denominator =
        switch (proto.getDenominator()) {
          case HUNDRED -> 100;
          case TEN_THOUSAND -> 10_000;
          case MILLION -> 1_000_000;
          case UNRECOGNIZED -> 0;
        };
    if (denominator == 0) {
      return errors.at("denominator").refuse("unknown value " + proto.getDenominatorValue());
    }
    return Optional.of(new Fraction(Integer.toUnsignedLong(proto.getNumerator()), denominator));
  }
}
