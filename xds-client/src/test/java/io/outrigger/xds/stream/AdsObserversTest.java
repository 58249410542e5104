package io.outrigger.xds.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class AdsObserversTest {
  private final List<String> heard = new ArrayList<>();

  static Stream<Method> events() {
    return Stream.of(AdsObserver.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()));
  }

  @ParameterizedTest
  @MethodSource("events")
  void eachObserverHearsOfEachEventInTheirOrder(Method event) throws Exception {
    AdsObserver all = AdsObserver.all(recording("first"), recording("second"));
    Object[] arguments =
        Stream.of(event.getParameterTypes())
            .map(type -> type == String.class ? "cp" : type == boolean.class ? true : null)
            .toArray();

    event.invoke(all, arguments);

    assertThat(heard)
        .containsExactly("first " + event.getName() + " cp", "second " + event.getName() + " cp");
  }

  private AdsObserver recording(String name) {
    return (AdsObserver)
        Proxy.newProxyInstance(
            AdsObserver.class.getClassLoader(),
            new Class<?>[] {AdsObserver.class},
            (proxy, method, arguments) -> {
              heard.add(name + " " + method.getName() + " " + arguments[0]);
              return null;
            });
  }
}
