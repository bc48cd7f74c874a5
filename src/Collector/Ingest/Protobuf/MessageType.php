<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

/**
 * The messages of OTLP 1.10 in a log record: opentelemetry/proto/{common,resource,logs}/v1. Indexes into a dictionary
 * exist only for profiles.
 *
 * @internal
 */
enum MessageType: string
{
    case Resource = 'Resource';
    case EntityRef = 'EntityRef';
    case InstrumentationScope = 'InstrumentationScope';
    case LogRecord = 'LogRecord';
    case KeyValue = 'KeyValue';
    case AnyValue = 'AnyValue';
    case ArrayValue = 'ArrayValue';
    case KeyValueList = 'KeyValueList';

    /** @return array<int, Field> by number */
    public function fields(): array
    {
        /** @var array<string, array<int, Field>> $fields */
        static $fields = [];

        return $fields[$this->value] ??= $this->described();
    }

    /** @return array<int, Field> */
    private function described(): array
    {
        return match ($this) {
            self::Resource => [
                1 => self::attributes(),
                2 => new Field('droppedAttributesCount', FieldType::Uint32),
                3 => new Field('entityRefs', FieldType::Message, self::EntityRef, isRepeated: true),
            ],
            self::EntityRef => [
                1 => new Field('schemaUrl', FieldType::Text),
                2 => new Field('type', FieldType::Text),
                3 => new Field('idKeys', FieldType::Text, isRepeated: true),
                4 => new Field('descriptionKeys', FieldType::Text, isRepeated: true),
            ],
            self::InstrumentationScope => [
                1 => new Field('name', FieldType::Text),
                2 => new Field('version', FieldType::Text),
                3 => self::attributes(),
                4 => new Field('droppedAttributesCount', FieldType::Uint32),
            ],
            self::LogRecord => self::logRecord(),
            self::KeyValue => [
                1 => new Field('key', FieldType::Text),
                2 => new Field('value', FieldType::Message, self::AnyValue),
            ],
            self::AnyValue => self::anyValue(),
            self::ArrayValue => [1 => new Field('values', FieldType::Message, self::AnyValue, isRepeated: true)],
            self::KeyValueList => [1 => new Field('values', FieldType::Message, self::KeyValue, isRepeated: true)],
        };
    }

    private static function attributes(): Field
    {
        return new Field('attributes', FieldType::Message, self::KeyValue, isRepeated: true);
    }

    /** @return array<int, Field> */
    private static function logRecord(): array
    {
        return [
            1 => new Field('timeUnixNano', FieldType::Fixed64),
            2 => new Field('severityNumber', FieldType::Int32),
            3 => new Field('severityText', FieldType::Text),
            5 => new Field('body', FieldType::Message, self::AnyValue),
            6 => self::attributes(),
            7 => new Field('droppedAttributesCount', FieldType::Uint32),
            8 => new Field('flags', FieldType::Fixed32),
            9 => new Field('traceId', FieldType::Hex),
            10 => new Field('spanId', FieldType::Hex),
            11 => new Field('observedTimeUnixNano', FieldType::Fixed64),
            12 => new Field('eventName', FieldType::Text),
        ];
    }

    /** @return array<int, Field> */
    private static function anyValue(): array
    {
        $oneOf = static fn (string $name, FieldType $kind, ?self $message = null): Field => new Field(
            $name,
            $kind,
            $message,
            isOneOf: true,
        );

        return [
            1 => $oneOf('stringValue', FieldType::Text),
            2 => $oneOf('boolValue', FieldType::Bool),
            3 => $oneOf('intValue', FieldType::Int64),
            4 => $oneOf('doubleValue', FieldType::Double),
            5 => $oneOf('arrayValue', FieldType::Message, self::ArrayValue),
            6 => $oneOf('kvlistValue', FieldType::Message, self::KeyValueList),
            7 => $oneOf('bytesValue', FieldType::Base64),
        ];
    }
}
