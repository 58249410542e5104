package io.outrigger.config.route;

import com.google.re2j.Pattern;
import io.outrigger.base.Xxh64;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One input of a request's hash (A42 "Hash Policy"). The decoder drops kinds that gRPC clients do
 * not support.
 */
public sealed interface HashPolicy {
  /** Whether later policies are skipped once this or an earlier policy has contributed a hash. */
  boolean terminal();

  /**
   * Hashes the value of a header. Several values are joined by {@code ","}.
   *
   * @param name the header's name in lower case; a name ending in {@code -bin} contributes no hash
   */
  record Header(String name, Optional<Rewrite> rewrite, boolean terminal) implements HashPolicy {}

  /** Contributes a hash of the channel: the filter state {@code io.grpc.channel_id} (SC-46). */
  record ChannelId(boolean terminal) implements HashPolicy {}

  /** Replaces each match of a pattern by a {@code substitution} text in the syntax of RE2/J. */
  record Rewrite(Pattern pattern, String substitution) {
    String apply(String value) {
      try {
        return WireText.of(pattern.matcher(WireText.read(value)).replaceAll(substitution));
      } catch (StackOverflowError e) { // RE2/J recurses into successive optional parts
        return value;
      }
    }
  }

  /**
   * Returns the hash of a request; null if no policy contributes a hash.
   *
   * @param channelId the hash of the channel (see {@link ChannelId})
   */
  static @Nullable Long hash(List<HashPolicy> policies, RequestView request, long channelId) {
    Long hash = null;
    for (HashPolicy policy : policies) {
      Long next = of(policy, request, channelId);
      if (next != null) {
        hash = hash == null ? next : Long.valueOf(Long.rotateLeft(hash, 1) ^ next);
      }
      if (policy.terminal() && hash != null) {
        break;
      }
    }
    return hash;
  }

  private static @Nullable Long of(HashPolicy policy, RequestView request, long channelId) {
    if (policy instanceof ChannelId) {
      return channelId;
    }
    var header = (Header) policy;
    String value = request.header(header.name());
    if (value == null) {
      return null;
    }
    if (header.rewrite().isPresent()) {
      value = header.rewrite().get().apply(value);
    }
    // WireText: each character is one byte of the received value.
    return Xxh64.hash(value.getBytes(StandardCharsets.ISO_8859_1));
  }
}
