package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.re2j.Pattern;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatchAndSubstitute;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.HashPolicy.Rewrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Decodes {@code RouteAction.hash_policy} (A42 "Hash Policy"). Unsupported kinds of hash policy are
 * left out.
 */
final class HashPolicyDecoder {
  private static final String CHANNEL_ID = "io.grpc.channel_id";

  private HashPolicyDecoder() {}

  static List<HashPolicy> decode(List<RouteAction.HashPolicy> protos, FieldErrors errors) {
    var policies = new ArrayList<HashPolicy>(protos.size());
    for (int i = 0; i < protos.size(); i++) {
      RouteAction.HashPolicy proto = protos.get(i);
      boolean terminal = proto.getTerminal();
      FieldErrors here = errors.at("hash_policy", i);
      switch (proto.getPolicySpecifierCase()) {
        case HEADER -> policies.add(header(proto.getHeader(), terminal, here.at("header")));
        case FILTER_STATE -> {
          if (proto.getFilterState().getKey().equals(CHANNEL_ID)) {
            policies.add(new HashPolicy.ChannelId(terminal));
          } else {
            here.at("filter_state").at("key").ignore("is not " + quoted(CHANNEL_ID));
          }
        }
        case COOKIE, CONNECTION_PROPERTIES, QUERY_PARAMETER, POLICYSPECIFIER_NOT_SET ->
            here.ignore("is of a kind that gRPC does not support");
      }
    }
    return policies;
  }

  private static HashPolicy header(
      RouteAction.HashPolicy.Header proto, boolean terminal, FieldErrors errors) {
    if (proto.getHeaderName().isEmpty()) {
      errors.at("header_name").ignore("is empty; no request has such a header");
    }
    Optional<Rewrite> rewrite =
        proto.hasRegexRewrite()
            ? rewrite(proto.getRegexRewrite(), errors.at("regex_rewrite"))
            : Optional.empty();
    return new HashPolicy.Header(proto.getHeaderName().toLowerCase(Locale.ROOT), rewrite, terminal);
  }

  private static Optional<Rewrite> rewrite(RegexMatchAndSubstitute proto, FieldErrors errors) {
    return RegexDecoder.decode(proto.getPattern(), errors.at("pattern"))
        .flatMap(
            pattern ->
                substitution(
                        proto.getSubstitution(),
                        pattern,
                        errors.at("substitution").leavingOut("the rewrite"))
                    .map(substitution -> new Rewrite(pattern, substitution)));
  }

  /**
   * Translates a substitution from the syntax of RE2 to that of RE2/J. In RE2, {@code \1} is a
   * group and {@code \\} is a backslash. In RE2/J, {@code $1} is a group and a backslash makes the
   * next character literal.
   */
  private static Optional<String> substitution(String text, Pattern pattern, FieldErrors errors) {
    var translated = new StringBuilder(text.length());
    boolean escaped = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!escaped && c == '\\') {
        escaped = true;
        continue;
      }
      boolean group = c >= '0' && c <= '9' && c - '0' <= pattern.groupCount();
      if (escaped && !group && c != '\\') {
        break;
      }
      translated.append(escaped && group ? '$' : '\\').append(c);
      escaped = false;
    }
    if (escaped) {
      errors.add(quoted(text) + " has a backslash before what is neither a group nor a backslash");
      return Optional.empty();
    }
    return Optional.of(translated.toString());
  }
}
