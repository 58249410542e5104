package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.outrigger.config.route.FilterConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The HTTP filters that are supported, by the types of their messages. */
public final class FilterDecoders {
  /** All, in the order in which errors list them. */
  static final FilterDecoders ALL =
      new FilterDecoders(
          List.of(new RouterDecoder(), new FaultDecoder(), new StatefulSessionDecoder()));

  private final List<FilterDecoder> decoders;
  private final Map<String, FilterDecoder> types;
  private final Map<String, FilterDecoder> overrideTypes;

  /**
   * @throws IllegalStateException if two are for the same type
   */
  FilterDecoders(List<FilterDecoder> decoders) {
    this.decoders = List.copyOf(decoders);
    types = index(decoders, FilterDecoder::typeName);
    overrideTypes = index(decoders, FilterDecoder::overrideTypeName);
  }

  private static Map<String, FilterDecoder> index(
      List<FilterDecoder> decoders, Function<FilterDecoder, String> name) {
    Map<String, FilterDecoder> index = new HashMap<>();
    for (FilterDecoder decoder : decoders) {
      if (index.put(name.apply(decoder), decoder) != null) {
        throw new IllegalStateException("two filters of type " + name.apply(decoder));
      }
    }
    return Map.copyOf(index);
  }

  /** All of them. */
  List<FilterDecoder> decoders() {
    return decoders;
  }

  /** The classes of all settings that may come out of decoding a filter of some type. */
  public static Set<Class<? extends FilterConfig>> settings() {
    return ALL.decoders.stream().map(FilterDecoder::settings).collect(toUnmodifiableSet());
  }

  /** The filter whose settings in a listener are of that type. */
  Optional<FilterDecoder> ofType(String typeName) {
    return Optional.ofNullable(types.get(typeName));
  }

  /** The filter whose settings in a route are of that type. */
  Optional<FilterDecoder> ofOverrideType(String typeName) {
    return Optional.ofNullable(overrideTypes.get(typeName));
  }

  /** The short names of all, for messages: the packages that the types are in. */
  String names() {
    return decoders.stream()
        .map(FilterDecoder::typeName)
        .map(name -> name.replaceFirst("\\.v\\d+\\.\\w+$", ""))
        .map(home -> home.substring(home.lastIndexOf('.') + 1))
        .collect(joining(", "));
  }
}
