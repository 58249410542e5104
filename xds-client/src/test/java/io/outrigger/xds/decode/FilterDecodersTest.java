package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.route.FilterConfig;
import java.util.List;
import java.util.Optional;
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
    assertThatThrownBy(() -> new FilterDecoders(List.of(new FaultDecoder(), new FaultDecoder())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("two decoders of " + FaultDecoder.TYPE);
    assertThatThrownBy(() -> new FilterDecoders(List.of(new FaultDecoder(), new Overriding())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("two decoders of " + FaultDecoder.TYPE);
  }

  @Test
  void messagesNameFiltersByTheirPackages() {
    assertThat(FilterDecoders.CLIENT.names()).isEqualTo("router, fault, stateful_session");
    assertThat(FilterDecoders.SERVER.names()).isEqualTo("router, rbac");
  }

  /** A filter of its own whose override is of the type of another filter. */
  private static final class Overriding extends FilterDecoder {
    Overriding() {
      super("pkg.v3.Own", FilterConfig.Router.class);
    }

    @Override
    Optional<? extends FilterConfig> decode(TypedConfig config, FieldErrors errors) {
      return Optional.empty();
    }

    @Override
    String overrideTypeName() {
      return FaultDecoder.TYPE;
    }
  }
}
