package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * HTTP/2 is one package, because little of it is visible outside. Within the package a class knows
 * the classes of its own layer and of the layers below.
 */
class Http2LayersTest {
  private static final String HOME = "io.outrigger.http2";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(location -> !location.contains("/test-classes/"))
          .importPackages(HOME);

  /** From below. */
  private static final List<String> LAYERS =
      List.of(
          // words: fields, errors, settings; the end of a loop's turn
          "ByteHash HeaderField HeaderList HeaderName HeaderRules KnownName StaticTable"
              + " ConnectionFault ConnectionSettings FallbackBuffers LoopTurn FrameType Http2Error"
              + " MemoryHolder PeerErrors ProcessMemory SocketView",
          // codec: HPACK, frames
          "DynamicTable FieldCache HeaderBlockCache HpackDecoder HpackEncoder"
              + " HpackOutput HpackSpace Huffman FrameListener FrameReader"
              + " FrameWriter HeaderBlock",
          // streams: windows, table, scheduler, rules; what is read of a socket in a turn
          "AbuseGuard ConnectionState ConnectionStreams Http2Stream"
              + " PeerSettings PendingData ResetFence SendScheduler"
              + " SocketReads SocketStream StreamHandler StreamTable",
          // lifecycle: preface, SETTINGS, PING, GOAWAY, end
          "ConnectionHandler ConnectionLifecycle KeepAlive LingeringClose Preface",
          // what both serve: the peer's frames, and memory
          "ConnectionMemory InboundFrames",
          // the connection, its channel and its loop
          "EventLoops FairLoop Http2Connection");

  private final Map<String, Integer> heights = new HashMap<>();

  Http2LayersTest() {
    for (int height = 0; height < LAYERS.size(); height++) {
      for (String type : LAYERS.get(height).split(" ", -1)) {
        heights.put(type, height);
      }
    }
  }

  @Test
  void aClassKnowsNothingAboveIt() {
    Set<String> upwards = new TreeSet<>();
    Set<String> found = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      if (type.getPackageName().equals(HOME) && !type.getSimpleName().equals("package-info")) {
        String name = topLevel(type);
        found.add(name);
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          if (target.getPackageName().equals(HOME) && height(target) > height(type)) {
            upwards.add(name + " -> " + topLevel(target));
          }
        }
      }
    }

    assertThat(found).isEqualTo(new TreeSet<>(heights.keySet()));
    assertThat(upwards).isEmpty();
  }

  private int height(JavaClass type) {
    return heights.getOrDefault(topLevel(type), LAYERS.size());
  }

  private static String topLevel(JavaClass type) {
    String name = type.getName().substring(HOME.length() + 1);
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
