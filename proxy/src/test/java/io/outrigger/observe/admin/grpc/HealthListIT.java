package io.outrigger.observe.admin.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.observe.admin.AnswerTurns;
import io.outrigger.program.testing.FakeChannelzSource;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A90 as a client sees it that has nothing but reflection: it learns of {@code List} and its
 * messages from the server and calls it with them.
 */
@Timeout(600)
class HealthListIT {
  private static final String SERVICE = "grpc.health.v1.Health";

  private AdminGrpcServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws Exception {
    server =
        AdminGrpcServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            () -> new Node("node", "", new Locality("", "", ""), Map.of()),
            "test",
            () -> new CompletableFuture<>(),
            new FakeChannelzSource(),
            new AnswerTurns(),
            new AdminBudget(1 << 20));
    channel = NettyChannelBuilder.forAddress(server.address()).usePlaintext().build();
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
    server.close();
  }

  @Test
  void listsEveryServiceWithItsStatus() throws Exception {
    assertThat(list()).as("not told yet").isEqualTo(Map.of("", "NOT_SERVING"));

    server.health(Map.of("", false, "orders", true, "pay", false));

    assertThat(list())
        .isEqualTo(Map.of("", "NOT_SERVING", "orders", "SERVING", "pay", "NOT_SERVING"));
  }

  @Test
  void listsAHundredServicesAndRefusesOneMore() throws Exception {
    server.health(services(100));
    assertThat(list()).hasSize(100);

    server.health(services(101));
    var refused = catchThrowableOfType(StatusRuntimeException.class, this::list);

    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(refused.getStatus().getDescription()).contains("101", "100");
    assertThat(check("service-7").getStatus()).isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void reflectionShowsTheServiceAsGrpcProtoHasIt() throws Exception {
    var health = reflected().findServiceByName("Health");

    assertThat(health.getMethods())
        .extracting(MethodDescriptor::getName)
        .containsExactlyInAnyOrder("Check", "List", "Watch");
    MethodDescriptor list = health.findMethodByName("List");
    assertThat(list.isServerStreaming() || list.isClientStreaming()).isFalse();
    assertThat(list.getInputType().getFullName()).isEqualTo("grpc.health.v1.HealthListRequest");
    assertThat(list.getInputType().getFields()).isEmpty();
    assertThat(list.getOutputType().getFullName()).isEqualTo("grpc.health.v1.HealthListResponse");
    assertThat(list.getOutputType().getFields()).hasSize(1);
    FieldDescriptor statuses = list.getOutputType().findFieldByName("statuses");
    assertThat(statuses.isMapField()).isTrue();
    assertThat(statuses.getNumber()).isEqualTo(1);
    Descriptor entry = statuses.getMessageType();
    assertThat(entry.findFieldByNumber(1).getType()).isEqualTo(FieldDescriptor.Type.STRING);
    assertThat(entry.findFieldByNumber(2).getMessageType().getFullName())
        .isEqualTo("grpc.health.v1.HealthCheckResponse");
  }

  @Test
  void checkAndWatchAreAsTheyWere() throws Exception {
    server.health(Map.of("", true, "orders", false));

    assertThat(check("").getStatus()).isEqualTo(ServingStatus.SERVING);
    assertThat(check("orders").getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    var unknown = catchThrowableOfType(StatusRuntimeException.class, () -> check("nobody"));
    assertThat(unknown.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    var watched = HealthGrpc.newBlockingStub(channel).watch(request("orders"));
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    server.health(Map.of("", true, "orders", true));
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.SERVING);
  }

  private HealthCheckResponse check(String service) {
    return HealthGrpc.newBlockingStub(channel).check(request(service));
  }

  private static HealthCheckRequest request(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private static Map<String, Boolean> services(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "service-" + i)
        .collect(Collectors.toMap(name -> name, name -> true));
  }

  /** Calls {@code List} with what reflection tells of it. */
  private Map<String, String> list() throws Exception {
    MethodDescriptor list = reflected().findServiceByName("Health").findMethodByName("List");
    var method =
        io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
            .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(SERVICE + "/" + list.getName())
            .setRequestMarshaller(marshaller(list.getInputType()))
            .setResponseMarshaller(marshaller(list.getOutputType()))
            .build();

    DynamicMessage response =
        ClientCalls.blockingUnaryCall(
            channel,
            method,
            CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS),
            DynamicMessage.getDefaultInstance(list.getInputType()));

    FieldDescriptor statuses = list.getOutputType().findFieldByName("statuses");
    var listed = new HashMap<String, String>();
    for (int i = 0; i < response.getRepeatedFieldCount(statuses); i++) {
      var entry = (Message) response.getRepeatedField(statuses, i);
      HealthCheckResponse value =
          HealthCheckResponse.parseFrom(
              ((Message) entry.getField(entry.getDescriptorForType().findFieldByName("value")))
                  .toByteString());
      listed.put(
          (String) entry.getField(entry.getDescriptorForType().findFieldByName("key")),
          value.getStatus().name());
    }
    return listed;
  }

  private static io.grpc.MethodDescriptor.Marshaller<DynamicMessage> marshaller(Descriptor type) {
    return ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(type));
  }

  private FileDescriptor reflected() throws Exception {
    var answer = new CompletableFuture<ServerReflectionResponse>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    answer.complete(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    answer.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(
        ServerReflectionRequest.newBuilder().setFileContainingSymbol(SERVICE + ".List").build());
    var files = answer.get(60, TimeUnit.SECONDS).getFileDescriptorResponse();
    requests.onCompleted();
    assertThat(files.getFileDescriptorProtoList()).hasSize(1);
    return FileDescriptor.buildFrom(
        FileDescriptorProto.parseFrom(files.getFileDescriptorProto(0)), new FileDescriptor[0]);
  }
}
