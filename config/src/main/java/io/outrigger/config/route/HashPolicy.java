package io.outrigger.config.route;

import com.google.re2j.Pattern;
import io.outrigger.base.Xxh64;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What of a request goes into its hash (A42 "Hash Policy"). Kinds that a gRPC client does not
 * support never get here: they give no hash.
 */
public sealed interface HashPolicy {
  /** Whether what follows is left out once there is a hash. */
  boolean terminal();

  /**
   * A header, of several values all of them.
   *
   * @param name lower case; a name ending in {@code -bin} gives no hash
   * @param rewrite applied to the value before it is hashed
   */
  record Header(String name, Optional<Rewrite> rewrite, boolean terminal) implements HashPolicy {}

  /** Filter state {@code io.grpc.channel_id}: the same for every request of a channel (SC-46). */
  record ChannelId(boolean terminal) implements HashPolicy {}

  /**
   * Replaces each match of a pattern.
   *
   * @param substitution in the syntax of the pattern's library
   */
  record Rewrite(Pattern pattern, String substitution) {
    String apply(String value) {
      return WireText.of(pattern.matcher(WireText.read(value)).replaceAll(substitution));
    }
  }

  /**
   * The hash of a request.
   *
   * @param channelId the hash of the channel, see {@link ChannelId}
   * @return null when no policy gives one: then each request has a random hash
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
    // A value's characters are the bytes that came.
    return Xxh64.hash(value.getBytes(StandardCharsets.ISO_8859_1));
  }
}
