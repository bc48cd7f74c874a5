<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

use Headroom\Collector\Ingest\RequestError;
use Headroom\Spool\Encoding\Codec;

use function base64_encode;
use function bin2hex;
use function implode;
use function is_finite;
use function is_nan;
use function is_string;
use function json_encode;
use function mb_check_encoding;
use function pack;
use function sprintf;
use function unpack;

/**
 * Converts a message to JSON by the JSON mapping of Protocol Buffers and the exceptions of OTLP, so that records of
 * both encodings are stored alike. It skips unknown fields, as every parser does; the reader remembers the first.
 *
 * @internal
 */
final readonly class JsonConverter
{
    /** @param int $depth levels of nested messages */
    public function __construct(private int $depth, private WireReader $wire) {}

    /**
     * @return ?string JSON; null if it is nested deeper
     *
     * @throws MalformedProtobuf
     * @throws RequestError
     */
    public function of(string $bytes, MessageType $message, int $level = 1): ?string
    {
        if ($level > $this->depth) {
            return null;
        }

        if ($bytes === '') {
            return '{}';
        }

        $members = [];
        $fields = $message->fields();

        foreach ($this->values($bytes, $message, $level) as $number => $values) {
            $field = $fields[$number];
            $values = $field->message === null || $field->isRepeated ? $values : [implode('', $values)];
            $texts = [];

            foreach ($values as $value) {
                $text = $field->message === null
                    ? self::scalar($value, $field->kind)
                    : $this->of((string) $value, $field->message, $level + 1);

                if ($text === null) {
                    return null;
                }

                $texts[] = $text;
            }

            $members[] = "\"{$field->name}\":".($field->isRepeated ? '['.implode(',', $texts).']' : $texts[0]);
        }

        return '{'.implode(',', $members).'}';
    }

    /**
     * The last value of a field wins. Repeated values of an embedded message are parts of one message.
     *
     * @return array<int, non-empty-list<int|string>> by number of the field
     *
     * @throws MalformedProtobuf
     * @throws RequestError
     */
    private function values(string $bytes, MessageType $message, int $level): array
    {
        $fields = $message->fields();
        $values = [];

        foreach ($this->wire->fields($bytes) as [$number, $type, $value]) {
            $field = $fields[$number] ?? null;

            if ($field === null || $type === WireReader::GROUP) {
                $this->wire->pass($number, $message->value);

                continue;
            }

            if ($type !== $field->kind->wireType()) {
                throw MalformedProtobuf::field($message->value, $field->name, "has the wire type {$type}");
            }

            if ($field->kind === FieldType::Text && ! mb_check_encoding((string) $value, 'UTF-8')) {
                throw MalformedProtobuf::field($message->value, $field->name, 'is not UTF-8');
            }

            if ($field->isOneOf && ! isset($values[$number])) {
                // Setting one field of a oneof clears the others, which must be valid too.
                $this->check($values, $message, $level);
                $values = [];
            }

            if ($field->isRepeated || $field->message !== null) {
                $values[$number][] = $value;
            } elseif ($field->isOneOf || ! self::isDefault($value, $field->kind)) {
                $values[$number] = [$value];
            } else {
                unset($values[$number]);
            }
        }

        return $values;
    }

    /**
     * @param array<int, non-empty-list<int|string>> $values
     *
     * @throws MalformedProtobuf
     * @throws RequestError
     */
    private function check(array $values, MessageType $message, int $level): void
    {
        foreach ($values as $number => $parts) {
            $type = $message->fields()[$number]->message;
            $type === null ? null : $this->of(implode('', $parts), $type, $level + 1);
        }
    }

    private static function scalar(int|string $value, FieldType $kind): string
    {
        if (is_string($value)) {
            return match ($kind) {
                FieldType::Hex => '"'.bin2hex($value).'"',
                FieldType::Base64 => '"'.base64_encode($value).'"',
                default => json_encode($value, Codec::FLAGS | JSON_THROW_ON_ERROR),
            };
        }

        return match ($kind) {
            FieldType::Bool => $value === 0 ? 'false' : 'true',
            // A negative value has 64 bits on the wire. The upper half is ignored.
            FieldType::Int32 => (string) (($value & 0xFFFFFFFF ^ 0x80000000) - 0x80000000),
            FieldType::Uint32, FieldType::Fixed32 => (string) ($value & 0xFFFFFFFF),
            FieldType::Fixed64 => sprintf('"%u"', $value),
            FieldType::Double => self::double($value),
            default => "\"{$value}\"",
        };
    }

    private static function double(int $bits): string
    {
        $number = unpack('e', pack('P', $bits))[1] ?? 0.0;
        $number = is_float($number) ? $number : 0.0;

        return match (true) {
            is_nan($number) => '"NaN"',
            is_finite($number) => json_encode($number, JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR),
            default => $number > 0 ? '"Infinity"' : '"-Infinity"',
        };
    }

    private static function isDefault(int|string $value, FieldType $kind): bool
    {
        return is_string($value) ? $value === '' : ($kind->hasHalf() ? $value & 0xFFFFFFFF : $value) === 0;
    }
}
