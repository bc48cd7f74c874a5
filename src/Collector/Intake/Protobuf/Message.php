<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Protobuf;

/**
 * The messages of OTLP 1.10 that a log record is made of: opentelemetry/proto/{common,resource,logs}/v1. Indexes into a
 * dictionary are for profiles, and logs have none.
 *
 * @internal
 */
enum Message: string
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
                2 => new Field('droppedAttributesCount', Kind::Uint32),
                3 => new Field('entityRefs', Kind::Message, self::EntityRef, isRepeated: true),
            ],
            self::EntityRef => [
                1 => new Field('schemaUrl', Kind::Text),
                2 => new Field('type', Kind::Text),
                3 => new Field('idKeys', Kind::Text, isRepeated: true),
                4 => new Field('descriptionKeys', Kind::Text, isRepeated: true),
            ],
            self::InstrumentationScope => [
                1 => new Field('name', Kind::Text),
                2 => new Field('version', Kind::Text),
                3 => self::attributes(),
                4 => new Field('droppedAttributesCount', Kind::Uint32),
            ],
            self::LogRecord => self::logRecord(),
            self::KeyValue => [
                1 => new Field('key', Kind::Text),
                2 => new Field('value', Kind::Message, self::AnyValue),
            ],
            self::AnyValue => self::anyValue(),
            self::ArrayValue => [1 => new Field('values', Kind::Message, self::AnyValue, isRepeated: true)],
            self::KeyValueList => [1 => new Field('values', Kind::Message, self::KeyValue, isRepeated: true)],
        };
    }

    private static function attributes(): Field
    {
        return new Field('attributes', Kind::Message, self::KeyValue, isRepeated: true);
    }

    /** @return array<int, Field> */
    private static function logRecord(): array
    {
        return [
            1 => new Field('timeUnixNano', Kind::Fixed64),
            2 => new Field('severityNumber', Kind::Int32),
            3 => new Field('severityText', Kind::Text),
            5 => new Field('body', Kind::Message, self::AnyValue),
            6 => self::attributes(),
            7 => new Field('droppedAttributesCount', Kind::Uint32),
            8 => new Field('flags', Kind::Fixed32),
            9 => new Field('traceId', Kind::Hex),
            10 => new Field('spanId', Kind::Hex),
            11 => new Field('observedTimeUnixNano', Kind::Fixed64),
            12 => new Field('eventName', Kind::Text),
        ];
    }

    /** @return array<int, Field> */
    private static function anyValue(): array
    {
        $oneOf = static fn (string $name, Kind $kind, ?self $message = null): Field => new Field(
            $name,
            $kind,
            $message,
            isOneOf: true,
        );

        return [
            1 => $oneOf('stringValue', Kind::Text),
            2 => $oneOf('boolValue', Kind::Bool),
            3 => $oneOf('intValue', Kind::Int64),
            4 => $oneOf('doubleValue', Kind::Double),
            5 => $oneOf('arrayValue', Kind::Message, self::ArrayValue),
            6 => $oneOf('kvlistValue', Kind::Message, self::KeyValueList),
            7 => $oneOf('bytesValue', Kind::Base64),
        ];
    }
}
