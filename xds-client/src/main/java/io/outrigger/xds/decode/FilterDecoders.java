package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.outrigger.config.route.FilterConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The HTTP filters that are supported, by the types of their messages. */
public final class FilterDecoders {
  static final String ROUTER = "envoy.extensions.filters.http.router.v3.Router";

  /** The last filter of every chain; its fields are ignored (A39 "The Router Filter"). */
  private static final FilterDecoder ROUTER_DECODER =
      new FilterDecoder(
          FilterConfig.Router.class,
          ROUTER,
          (config, errors) ->
              config
                  .read(Router.getDefaultInstance(), errors)
                  .map(router -> new FilterConfig.Router()),
          ROUTER,
          (config, errors) -> errors.refuse("the router filter takes no override"));

  /** The filters of clients, in the order in which error messages list them. */
  static final FilterDecoders CLIENT =
      new FilterDecoders(
          List.of(ROUTER_DECODER, FaultDecoder.DECODER, StatefulSessionDecoder.DECODER));

  /** The filters of servers (A39, A41). */
  static final FilterDecoders SERVER =
      new FilterDecoders(List.of(ROUTER_DECODER, RbacDecoder.DECODER));

  /** All filters, because clients and servers may use the same route configuration. */
  static final FilterDecoders ALL =
      new FilterDecoders(
          List.of(
              ROUTER_DECODER,
              FaultDecoder.DECODER,
              StatefulSessionDecoder.DECODER,
              RbacDecoder.DECODER));

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
