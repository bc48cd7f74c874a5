<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use BackedEnum;
use DateTimeInterface;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Utf8;
use JsonSerializable;
use stdClass;
use Stringable;
use Throwable;
use UnitEnum;

/**
 * The JSON text of an array or a JsonSerializable value. The value is walked before json_encode() gets it:
 * json_encode() alone would silently turn a closure or a PDO handle into {}, and could not name the path of an invalid
 * value.
 *
 * @internal
 */
final readonly class StructuredValue
{
    public const MAX_DEPTH = 64;

    private function __construct(public string $text, public int $replaced) {}

    /** @throws InvalidEvent */
    public static function of(string $path, mixed $value, Utf8 $utf8): self
    {
        $replaced = 0;
        $plain = self::plain($path, $value, $utf8, 1, $replaced);

        // Without flags, so that the column gets the text that an insert of json_encode($value) would have stored.
        $text = json_encode($plain, 0, self::MAX_DEPTH);

        return $text !== false
            ? new self($text, $replaced)
            : throw InvalidEvent::refusedToEncode($path, json_last_error_msg());
    }

    public static function ofEnum(UnitEnum $enum): int|string
    {
        return $enum instanceof BackedEnum ? $enum->value : $enum->name;
    }

    /** @throws InvalidEvent */
    public static function ofStringable(string $path, Stringable $value): string
    {
        try {
            return (string) $value;
        } catch (Throwable $e) {
            throw InvalidEvent::threw($path, $value, $e);
        }
    }

    /** mb_scrub() is not used: its replacement character depends on an ini setting, and is '?' by default. */
    public static function scrub(string $invalid): string
    {
        $text = json_decode((string) json_encode($invalid, JSON_INVALID_UTF8_SUBSTITUTE));

        return is_string($text) ? $text : '';
    }

    private static function plain(string $path, mixed $value, Utf8 $utf8, int $depth, int &$replaced): mixed
    {
        if ($value instanceof JsonSerializable) {
            $value = self::serialized($path, $value);
        }

        return match (true) {
            $value === null, is_int($value), is_bool($value) => $value,
            is_string($value) => self::string($path, $value, $utf8, $replaced),
            is_float($value) => is_finite($value) ? $value : throw InvalidEvent::notFinite($path, $value),
            is_array($value) => self::members($path, $value, $utf8, $depth, $replaced),
            $value instanceof stdClass => (object) self::members($path, (array) $value, $utf8, $depth, $replaced),
            $value instanceof UnitEnum => self::ofEnum($value),
            $value instanceof DateTimeInterface => $value->format('Y-m-d\TH:i:s.uP'),
            $value instanceof Stringable => self::string($path, self::ofStringable($path, $value), $utf8, $replaced),
            default => throw InvalidEvent::typeNotAllowed($path, $value),
        };
    }

    /** Calls jsonSerialize() until the result is no longer JsonSerializable. */
    private static function serialized(string $path, JsonSerializable $value): mixed
    {
        for ($attempt = 0; $attempt < self::MAX_DEPTH; $attempt++) {
            try {
                $plain = $value->jsonSerialize();
            } catch (Throwable $e) {
                throw InvalidEvent::threw($path, $value, $e);
            }

            if (! $plain instanceof JsonSerializable) {
                return $plain;
            }

            $value = $plain;
        }

        throw InvalidEvent::neverPlain($path, $value, self::MAX_DEPTH);
    }

    /**
     * @param array<array-key, mixed> $members
     * @return array<array-key, mixed>
     */
    private static function members(string $path, array $members, Utf8 $utf8, int $depth, int &$replaced): array
    {
        if ($depth > self::MAX_DEPTH) {
            throw InvalidEvent::tooDeep($path, $members, self::MAX_DEPTH);
        }

        $plain = [];

        foreach ($members as $key => $member) {
            if (is_string($key) && ! mb_check_encoding($key, 'UTF-8')) {
                $key = self::string($path.'.'.self::scrub($key), $key, $utf8, $replaced);
            }

            $plain[$key] = self::plain("{$path}.{$key}", $member, $utf8, $depth + 1, $replaced);
        }

        return count($plain) === count($members)
            ? $plain
            : throw InvalidEvent::notUtf8($path, 'Two of its keys become equal when their invalid bytes are replaced.');
    }

    private static function string(string $path, string $value, Utf8 $utf8, int &$replaced): string
    {
        if (mb_check_encoding($value, 'UTF-8')) {
            return $value;
        }

        if ($utf8 !== Utf8::Replace) {
            throw InvalidEvent::notUtf8(
                $path,
                'JSON inside an array cannot hold other bytes: make it a column of its own in a binary bucket, or'
                    .' encode it first.',
            );
        }

        $replaced++;

        return self::scrub($value);
    }
}
