package io.outrigger.xds.stream;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A resource name in its canonical form (A47, xRFC TP1). Names that differ only in the order of
 * their context parameters are the same resource (A47-03).
 *
 * @param authority the authority of a new-style name, possibly empty; absent in an old-style name
 * @param text the name of the resource in requests
 */
record ResourceName(Optional<String> authority, String text) {
  private static final String NEW_STYLE = "xdstp:";
  private static final String TYPE_URL_PREFIX = "type.googleapis.com/";

  /** Reads the name of a resource. Fails when a new-style name is not a name of the given type. */
  static Outcome<ResourceName> of(ResourceType<?> type, String name) {
    if (!name.startsWith(NEW_STYLE)) {
      return Outcome.ok(new ResourceName(Optional.empty(), name)); // A47-04
    }
    String typeName = type.typeUrl().substring(TYPE_URL_PREFIX.length());
    int path = name.startsWith("//", NEW_STYLE.length()) ? name.indexOf('/', 8) : -1;
    if (path == -1 || !name.startsWith(typeName + "/", path + 1)) {
      return Outcome.failed(
          new RpcStatus(
              RpcStatus.Code.INVALID_ARGUMENT,
              "%s \"%s\" has no name of the form xdstp://AUTHORITY/%s/ID"
                  .formatted(type.noun(), name, typeName)));
    }
    return Outcome.ok(
        new ResourceName(
            Optional.of(name.substring(NEW_STYLE.length() + 2, path)), canonical(name)));
  }

  /** Returns the canonical form of a name, or the unchanged name if the name is invalid. */
  static String canonical(ResourceType<?> type, String name) {
    return name.startsWith(NEW_STYLE)
        ? of(type, name).match(ResourceName::text, invalid -> name)
        : name;
  }

  /** Sorts the context parameters by key and removes the directives (the fragment). */
  private static String canonical(String name) {
    int fragment = name.indexOf('#');
    String plain = fragment == -1 ? name : name.substring(0, fragment);
    int query = plain.indexOf('?');
    if (query == -1) {
      return plain;
    }
    String sorted =
        Arrays.stream(plain.substring(query + 1).split("&", -1))
            .filter(parameter -> !parameter.isEmpty())
            .sorted(Comparator.comparing(ResourceName::key).thenComparing(parameter -> parameter))
            .collect(Collectors.joining("&"));
    return plain.substring(0, query) + (sorted.isEmpty() ? "" : "?" + sorted);
  }

  private static String key(String parameter) {
    int end = parameter.indexOf('=');
    return end == -1 ? parameter : parameter.substring(0, end);
  }
}
