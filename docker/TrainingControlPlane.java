import com.google.protobuf.Any;
import io.outrigger.program.demo.DemoControlPlane;
import io.outrigger.xds.decode.ResourceJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The control plane of the runs that train start-up caches over TLS. It serves the resources of one
 * JSON file, and writes its port to another file.
 *
 * <pre>java -cp outrigger.jar TrainingControlPlane.java RESOURCES FILE</pre>
 */
public final class TrainingControlPlane {
  private TrainingControlPlane() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    List<Any> resources = ResourceJson.parse(Files.readString(Path.of(args[0]))).resources();
    try (var controlPlane = new DemoControlPlane(resources)) {
      Files.writeString(Path.of(args[1]), Integer.toString(controlPlane.port()));
      new CountDownLatch(1).await(); // until a signal
    }
  }
}
