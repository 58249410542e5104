package io.outrigger.xds.decode;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.WrappersProto;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import java.util.Optional;

/**
 * The message {@code RandomSubsetting} of Envoy (A68). The bundled generated classes do not include
 * it, so this class defines its descriptor:
 *
 * <pre>
 * message RandomSubsetting {
 *   google.protobuf.UInt32Value subset_size = 1;
 *   config.cluster.v3.LoadBalancingPolicy child_policy = 2;
 * }
 * </pre>
 */
record RandomSubsettingMessage(
    Optional<UInt32Value> subsetSize, Optional<LoadBalancingPolicy> childPolicy) {
  private static final String PACKAGE =
      "envoy.extensions.load_balancing_policies.random_subsetting.v3";
  private static final String NAME = "RandomSubsetting";
  static final String TYPE = PACKAGE + "." + NAME;

  /** Holds the descriptor, which is built on first use. */
  private static final class Lazy {
    static final Descriptor DESCRIPTOR = make();

    private static Descriptor make() {
      FileDescriptor cluster = Cluster.getDescriptor().getFile();
      var file =
          FileDescriptorProto.newBuilder()
              .setName(PACKAGE.replace('.', '/') + "/random_subsetting.proto")
              .setPackage(PACKAGE)
              .setSyntax("proto3")
              .addDependency(cluster.getName())
              .addDependency(WrappersProto.getDescriptor().getName())
              .addMessageType(
                  DescriptorProto.newBuilder()
                      .setName(NAME)
                      .addField(field("subset_size", 1, UInt32Value.getDescriptor()))
                      .addField(field("child_policy", 2, LoadBalancingPolicy.getDescriptor())))
              .build();
      FileDescriptor[] imported = {cluster, WrappersProto.getDescriptor()};
      try {
        return FileDescriptor.buildFrom(file, imported).findMessageTypeByName(NAME);
      } catch (DescriptorValidationException e) {
        throw new AssertionError(e);
      }
    }

    private static FieldDescriptorProto field(String name, int number, Descriptor type) {
      return FieldDescriptorProto.newBuilder()
          .setName(name)
          .setNumber(number)
          .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
          .setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
          .setTypeName("." + type.getFullName())
          .build();
    }
  }

  static Descriptor descriptor() {
    return Lazy.DESCRIPTOR;
  }

  /**
   * Parses the message in {@code config}. If parsing fails, returns empty and adds the reason to
   * {@code errors}.
   */
  static Optional<RandomSubsettingMessage> read(TypedConfig config, FieldErrors errors) {
    return config
        .read(DynamicMessage.getDefaultInstance(descriptor()), errors)
        .map(
            message ->
                new RandomSubsettingMessage(
                    field(message, 1, UInt32Value.getDefaultInstance()),
                    field(message, 2, LoadBalancingPolicy.getDefaultInstance())));
  }

  private static <M extends Message> Optional<M> field(
      DynamicMessage message, int number, M prototype) {
    FieldDescriptor field = descriptor().findFieldByNumber(number);
    if (!message.hasField(field)) {
      return Optional.empty();
    }
    try {
      Message.Builder builder = prototype.newBuilderForType();
      builder.mergeFrom(((Message) message.getField(field)).toByteString());
      @SuppressWarnings("unchecked") // the builder is of the type of the prototype
      M read = (M) builder.build();
      return Optional.of(read);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e); // these bytes have been parsed before
    }
  }
}
