package io.outrigger.observe.admin.grpc;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TextFormat;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServiceDescriptor;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.health.v1.HealthProto;
import io.grpc.protobuf.ProtoFileDescriptorSupplier;
import io.grpc.protobuf.ProtoUtils;
import io.outrigger.base.AnyThread;
import java.util.Map;

/**
 * The schema {@code grpc/health/v1/health.proto} with {@code List} (A90 "Proposed API Changes").
 *
 * <p>The generated classes of grpc-services have only {@code Check} and {@code Watch}. This class
 * copies their file, methods and messages and adds the parts of A90, so that reflection shows one
 * file that equals grpc-proto's. The class is obsolete when grpc-services has {@code List}.
 */
@AnyThread
final class HealthSchema {
  /** The messages of A90; the entries are {@code map<string, HealthCheckResponse>}. */
  private static final String LISTED =
      """
      message_type { name: "HealthListRequest" }
      message_type {
        name: "HealthListResponse"
        field {
          name: "statuses" json_name: "statuses" number: 1 label: LABEL_REPEATED
          type: TYPE_MESSAGE type_name: ".grpc.health.v1.HealthListResponse.StatusesEntry"
        }
        nested_type {
          name: "StatusesEntry" options { map_entry: true }
          field {
            name: "key" json_name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING
          }
          field {
            name: "value" json_name: "value" number: 2 label: LABEL_OPTIONAL
            type: TYPE_MESSAGE type_name: ".grpc.health.v1.HealthCheckResponse"
          }
        }
      }
      """;

  private static final String METHOD =
      """
      method {
        name: "List"
        input_type: ".grpc.health.v1.HealthListRequest"
        output_type: ".grpc.health.v1.HealthListResponse"
      }
      """;

  private static final FileDescriptor FILE = file();
  private static final Descriptor RESPONSE = FILE.findMessageTypeByName("HealthListResponse");
  private static final FieldDescriptor STATUSES = RESPONSE.findFieldByName("statuses");
  private static final Descriptor STATUS = FILE.findMessageTypeByName("HealthCheckResponse");

  static final MethodDescriptor<DynamicMessage, DynamicMessage> LIST =
      MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
          .setType(MethodType.UNARY)
          .setFullMethodName(
              MethodDescriptor.generateFullMethodName(HealthGrpc.SERVICE_NAME, "List"))
          .setSampledToLocalTracing(true)
          .setIdempotent(true)
          .setRequestMarshaller(marshaller(FILE.findMessageTypeByName("HealthListRequest")))
          .setResponseMarshaller(marshaller(RESPONSE))
          .build();

  static final ServiceDescriptor SERVICE =
      ServiceDescriptor.newBuilder(HealthGrpc.SERVICE_NAME)
          .setSchemaDescriptor((ProtoFileDescriptorSupplier) () -> FILE)
          .addMethod(HealthGrpc.getCheckMethod())
          .addMethod(LIST)
          .addMethod(HealthGrpc.getWatchMethod())
          .build();

  private HealthSchema() {}

  /** Returns a {@code HealthListResponse}; the keys are service names. */
  static DynamicMessage listed(Map<String, HealthCheckResponse.ServingStatus> statuses) {
    var response = DynamicMessage.newBuilder(RESPONSE);
    statuses.forEach((name, status) -> response.addRepeatedField(STATUSES, entry(name, status)));
    return response.build();
  }

  private static DynamicMessage entry(String name, HealthCheckResponse.ServingStatus status) {
    Descriptor entry = STATUSES.getMessageType();
    FieldDescriptor field = STATUS.findFieldByName("status");
    return DynamicMessage.newBuilder(entry)
        .setField(entry.findFieldByName("key"), name)
        .setField(
            entry.findFieldByName("value"),
            DynamicMessage.newBuilder(STATUS)
                .setField(field, field.getEnumType().findValueByNumber(status.getNumber()))
                .build())
        .build();
  }

  private static MethodDescriptor.Marshaller<DynamicMessage> marshaller(Descriptor type) {
    return ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(type));
  }

  private static FileDescriptor file() {
    FileDescriptorProto.Builder file = HealthProto.getDescriptor().toProto().toBuilder();
    try {
      TextFormat.merge(LISTED, file);
      TextFormat.merge(METHOD, file.getServiceBuilder(0));
      return FileDescriptor.buildFrom(file.build(), new FileDescriptor[0]);
    } catch (TextFormat.ParseException | DescriptorValidationException e) {
      throw new AssertionError("health.proto with List", e);
    }
  }
}
