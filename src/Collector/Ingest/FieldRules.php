<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use function is_string;
use function strcspn;
use function strlen;

/**
 * Rules of the short fields of an event: id, type, source, subject and time.
 *
 * @internal
 */
final readonly class FieldRules
{
    private const CONTROL = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F"
        ."\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F\x7F";

    /** @throws EventError */
    public static function of(mixed $value, string $pointer, ErrorCode $code, int $bytes): string
    {
        return self::isValid($value, $bytes)
            ? $value
            : throw EventError::invalid(
                $code,
                $pointer,
                $value,
                "a string of 1 to {$bytes} bytes without control characters",
            );
    }

    /** @phpstan-assert-if-true =non-empty-string $value */
    public static function isValid(mixed $value, int $bytes): bool
    {
        // CloudEvents does not allow control characters.
        return is_string($value)
            && $value !== ''
            && strlen($value) <= $bytes
            && strcspn($value, self::CONTROL) === strlen($value);
    }

    /** @throws EventError */
    public static function type(mixed $value, string $pointer = '/type'): string
    {
        return self::of($value, $pointer, ErrorCode::InvalidType, IngestLimits::TYPE_BYTES);
    }

    /** @throws EventError */
    public static function id(mixed $value, string $pointer = '/id'): string
    {
        return self::of($value, $pointer, ErrorCode::InvalidId, IngestLimits::ID_BYTES);
    }

    /** @throws EventError */
    public static function source(mixed $value, string $pointer = '/source'): string
    {
        return self::of($value, $pointer, ErrorCode::InvalidSource, IngestLimits::SOURCE_BYTES);
    }

    /** @throws EventError */
    public static function subject(mixed $value, string $pointer = '/subject'): string
    {
        return self::of($value, $pointer, ErrorCode::InvalidSubject, IngestLimits::SUBJECT_BYTES);
    }

    /**
     * @return string in the stored form
     *
     * @throws EventError
     */
    public static function time(mixed $value, string $pointer = '/time'): string
    {
        $time = is_string($value) ? EventTime::parse($value) : null;

        return $time ?? throw EventError::invalid(
            ErrorCode::InvalidTime,
            $pointer,
            $value,
            'an RFC 3339 time, such as 2026-01-31T12:00:00.123Z or 2026-01-31T13:00:00+01:00',
        );
    }
}
