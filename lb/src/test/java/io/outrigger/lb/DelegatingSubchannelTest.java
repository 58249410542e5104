package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.testing.FakeConnector.FakeTransport;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a subchannel learns to do, a wrapper that does nothing about it passes on. */
class DelegatingSubchannelTest {
  /** A value of each type that subchannels take or give. */
  private static final List<Object> VALUES =
      List.of(
          7L,
          true,
          new FailureNote("pay", "note"),
          OptionalInt.of(7),
          CallOutcome.FAILURE,
          TestCall.CALL,
          Samples.endpoint("10.0.0.1:80"),
          Samples.address("10.0.0.1:80"),
          Samples.locality("z"),
          Optional.of(Samples.locality("z")),
          Samples.backend("10.0.0.1:80"),
          new SubchannelCalls(1, 2, 3),
          new BackendMetrics(1, 2, 3, 4, 5, Map.of(), Map.of()),
          new FakeTransport(Samples.address("10.0.0.1:80"), 1));

  private final List<List<Object>> heard = new ArrayList<>();
  private final Subchannel beneath =
      (Subchannel)
          Proxy.newProxyInstance(
              Subchannel.class.getClassLoader(),
              new Class<?>[] {Subchannel.class},
              (proxy, method, arguments) -> {
                heard.add(call(method, arguments == null ? new Object[0] : arguments));
                return method.getReturnType() == void.class ? null : value(method.getReturnType());
              });
  private final Subchannel wrapper = new DelegatingSubchannel(beneath) {};

  static Stream<Method> methods() {
    return Arrays.stream(Subchannel.class.getDeclaredMethods())
        .filter(method -> !method.isSynthetic())
        .sorted(Comparator.comparing(Method::getName)); // the same test has the same number
  }

  @ParameterizedTest
  @MethodSource("methods")
  void itPassesEverythingOn(Method method) throws ReflectiveOperationException {
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(DelegatingSubchannelTest::value).toArray();

    Object answer = method.invoke(wrapper, arguments);

    assertThat(heard).containsExactly(call(method, arguments));
    if (method.getReturnType() != void.class) {
      assertThat(answer).isEqualTo(value(method.getReturnType()));
    }
  }

  private static List<Object> call(Method method, Object[] arguments) {
    List<Object> call = new ArrayList<>(List.of(method.getName()));
    call.addAll(Arrays.asList(arguments));
    return call;
  }

  private static Object value(Class<?> type) {
    return VALUES.stream()
        .filter(
            value ->
                type.isInstance(value)
                    || (type == long.class && value instanceof Long)
                    || (type == boolean.class && value instanceof Boolean))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no value of " + type));
  }
}
