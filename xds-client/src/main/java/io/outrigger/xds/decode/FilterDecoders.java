package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.outrigger.config.route.FilterConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The HTTP filters that are supported, by the types of their messages. */
public final class FilterDecoders {
  /** The filters of clients, in the order in which error messages list them. */
  static final FilterDecoders CLIENT =
      new FilterDecoders(
          List.of(new RouterDecoder(), new FaultDecoder(), new StatefulSessionDecoder()));

  /** The filters of servers (A39, A41). */
  static final FilterDecoders SERVER =
      new FilterDecoders(List.of(new RouterDecoder(), new RbacDecoder()));

  /** The filters of both: a route configuration can be for clients and for servers. */
  static final FilterDecoders ALL =
      new FilterDecoders(
          List.of(
              new RouterDecoder(),
              new FaultDecoder(),
              new StatefulSessionDecoder(),
              new RbacDecoder()));

  private final List<FilterDecoder> decoders;
  private final Map<String, FilterDecoder> types;
  private final Map<String, FilterDecoder> overrideTypes;

  FilterDecoders(List<FilterDecoder> decoders) {
    this.decoders = List.copyOf(decoders);
    types = PolicyDecoderRegistry.index(decoders, FilterDecoder::typeName);
    overrideTypes = PolicyDecoderRegistry.index(decoders, FilterDecoder::overrideTypeName);
  }

  List<FilterDecoder> decoders() {
    return decoders;
  }

  public static Set<Class<? extends FilterConfig>> settings() {
    return ALL.decoders.stream().map(FilterDecoder::settings).collect(toUnmodifiableSet());
  }

  Optional<FilterDecoder> ofType(String typeName) {
    return Optional.ofNullable(types.get(typeName));
  }

  Optional<FilterDecoder> ofOverrideType(String typeName) {
    return Optional.ofNullable(overrideTypes.get(typeName));
  }

  String names() {
    return decoders.stream()
        .map(FilterDecoder::typeName)
        .map(name -> name.replaceFirst("\\.v\\d+\\.\\w+$", ""))
        .map(home -> home.substring(home.lastIndexOf('.') + 1))
        .collect(joining(", "));
  }
}
