package io.outrigger.oracle;

import com.google.protobuf.Message;
import io.outrigger.oracle.StoryNetwork.Condition;
import io.outrigger.program.testing.mesh.ControlSide;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A whole client in a story, from the responses of its control plane to the backend of a call. All
 * follows at once what can.
 */
interface TrafficClient extends AutoCloseable {
  /** The target, which is the name of its listener as well. */
  String TARGET = ControlSide.NAME;

  /** A call that was begun, as its caller and those who measure it see it. */
  interface Call {
    /** The backend's port that answered, the code of a failure, or {@code waits}. */
    String outcome();

    /** The kinds of delays so far, as A121 names them, each once per stretch of waiting. */
    List<String> delays();

    /** Its caller gives up. */
    void cancel();
  }

  /** The control plane can be reached from now on. */
  void attach();

  /** The control plane has this resource from now on, or none of that name. */
  void serve(ResourceType<?> type, String name, Optional<? extends Message> resource);

  /** What was said of the last response of a type. */
  String verdict(ResourceType<?> type);

  /** The condition of a backend changes. */
  void set(int port, Condition condition);

  void pass(Duration time);

  Call call(String path, boolean waitForReady);

  @Override
  void close();
}
