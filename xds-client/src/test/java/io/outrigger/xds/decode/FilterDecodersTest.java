package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.route.FilterConfig;
import java.util.List;
import org.junit.jupiter.api.Test;

class FilterDecodersTest {
  /** A misspelt type would never be met, or could not be written in a file or shown. */
  @Test
  void everyTypeIsThatOfAKnownMessage() {
    for (FilterDecoder decoder : FilterDecoders.ALL.decoders()) {
      assertThat(KnownTypes.all().find(decoder.typeName())).isNotNull();
      assertThat(KnownTypes.all().find(decoder.overrideTypeName())).isNotNull();
    }
  }

  @Test
  void noTwoFiltersHaveTheSameSettings() {
    assertThat(FilterDecoders.settings()).hasSameSizeAs(FilterDecoders.ALL.decoders());
  }

  @Test
  void noTwoFiltersAreForOneTypeOfAListenerOrARoute() {
    FilterDecoder fault = FaultDecoder.DECODER;
    var overriding =
        new FilterDecoder(
            FilterConfig.Router.class,
            "pkg.v3.Own",
            fault.filter(),
            FaultDecoder.TYPE,
            fault.override());

    assertThatThrownBy(() -> new FilterDecoders(List.of(fault, fault)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("two decoders of " + FaultDecoder.TYPE);
    assertThatThrownBy(() -> new FilterDecoders(List.of(fault, overriding)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("two decoders of " + FaultDecoder.TYPE);
  }

  @Test
  void messagesNameFiltersByTheirPackages() {
    assertThat(FilterDecoders.CLIENT.names()).isEqualTo("router, fault, stateful_session");
    assertThat(FilterDecoders.SERVER.names()).isEqualTo("router, rbac");
  }
}
