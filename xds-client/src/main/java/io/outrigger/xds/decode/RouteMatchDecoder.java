package io.outrigger.xds.decode;

import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.WireText;
import java.util.List;
import java.util.Optional;

/** Decodes {@code RouteMatch} (A28). */
final class RouteMatchDecoder {
  private RouteMatchDecoder() {}

  static Optional<RouteMatch> decode(
      io.envoyproxy.envoy.config.route.v3.RouteMatch proto, FieldErrors errors) {
    Optional<StringMatcher> path = path(proto, errors);
    List<HeaderMatcher> headers =
        errors.each("headers", proto.getHeadersList(), HeaderMatcherDecoder::decode);
    Optional<Fraction> fraction = fraction(proto, errors.at("runtime_fraction"));
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
      case PATHSPECIFIER_NOT_SET -> {
        errors.add("no path specifier, or an unknown one; supported: prefix, path, safe_regex");
        yield Optional.empty();
      }
      default -> {
        errors
            .at(FieldErrors.fieldOf(proto.getPathSpecifierCase()))
            .add("not supported as path specifier; supported: prefix, path, safe_regex");
        yield Optional.empty();
      }
    };
  }

  private static Optional<Fraction> fraction(
      io.envoyproxy.envoy.config.route.v3.RouteMatch proto, FieldErrors errors) {
    if (!proto.hasRuntimeFraction()) {
      return Optional.empty();
    }
    if (!proto.getRuntimeFraction().hasDefaultValue()) {
      errors.at("default_value").ignore("is missing, which means 0; the route matches no request");
    }
    return FractionDecoder.decode(
        proto.getRuntimeFraction().getDefaultValue(), errors.at("default_value"));
  }
}
