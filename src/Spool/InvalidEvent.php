<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use InvalidArgumentException;
use Throwable;

final class InvalidEvent extends InvalidArgumentException implements Permanent
{
    /** @param string $path keys from the top of the event, joined by dots; empty for the event as a whole */
    private function __construct(
        string $message,
        public readonly string $path = '',
        ?Throwable $previous = null,
        public readonly bool $isTooLarge = false,
    ) {
        parent::__construct(TerminalText::line($message), 0, $previous);
    }

    public static function notAMap(mixed $key): self
    {
        return new self(
            'An event is an array of values by column name; this one has the key '.self::show($key)
                .'. Use addMany() for several events.',
            self::show($key),
        );
    }

    public static function notAnEvent(mixed $seen, int $number): self
    {
        return new self(
            "Event {$number} of addMany() is of type ".get_debug_type($seen)
                .'. Each must be an array of values by column name.',
        );
    }

    public static function isEmpty(): self
    {
        return new self('An event needs at least one value; this one has none.');
    }

    public static function typeNotAllowed(string $path, mixed $value): self
    {
        return new self(
            "The value at '".TerminalText::name($path, 300)."' is of type ".get_debug_type(
                $value,
            ).'. An event can carry scalars, null, arrays, enums, DateTimeInterface, Stringable and JsonSerializable.',
            $path,
        );
    }

    public static function notFinite(string $path, float $value): self
    {
        return new self(
            "The value at '".TerminalText::name($path, 300)."' is the float "
                .(is_nan($value) ? 'NAN' : ($value > 0 ? 'INF' : '-INF'))
                .', which JSON cannot carry. Use null or a string.',
            $path,
        );
    }

    public static function yearOutOfRange(string $path, string $year): self
    {
        return new self(
            "The date at '".TerminalText::name($path, 300)."' is in the year {$year}. The allowed years are 1 to 9999.",
            $path,
        );
    }

    public static function tooDeep(string $path, mixed $value, int $limit): self
    {
        return new self(
            "The value at '".TerminalText::name($path, 300)."' is of type ".get_debug_type($value)
                ." and nested deeper than the limit of {$limit} levels. Flatten it, or encode it to a string first.",
            $path,
        );
    }

    public static function neverPlain(string $path, object $value, int $limit): self
    {
        return new self(
            "The value at '".TerminalText::name($path, 300)."' is of type ".get_debug_type($value)
                .", whose jsonSerialize() returned another JsonSerializable {$limit} times in a row. Let it return"
                .' scalars and arrays.',
            $path,
        );
    }

    public static function threw(string $path, object $value, Throwable $thrown): self
    {
        return new self(
            "The value at '".TerminalText::name($path, 300)."' is of type ".get_debug_type($value).', which threw '
                .get_debug_type($thrown).' when it was encoded: '.TerminalText::name($thrown->getMessage(), 500)
                .'. Fix the exception, or remove the value.',
            $path,
            $thrown,
        );
    }

    public static function notUtf8(string $path, string $fix): self
    {
        return new self("The string at '".TerminalText::name($path, 300)."' is not valid UTF-8. {$fix}", $path);
    }

    public static function tooLarge(int $bytes, int $limit): self
    {
        return new self(
            "The event is {$bytes} bytes as JSON; the limit for one event is {$limit} bytes. Store the large part"
                .' elsewhere and buffer a reference to it.',
            isTooLarge: true,
        );
    }

    public static function tooMany(int $limit): self
    {
        return new self("addMany() got more than {$limit} events, and writes all of them or none. Call it with at"
            ." most {$limit} events.");
    }

    public static function frameTooLarge(int $limit): self
    {
        return new self("addMany() got more than {$limit} bytes of JSON, and writes all of its events or none. Call"
            .' it with fewer events.');
    }

    public static function refusedToEncode(string $path, string $reason): self
    {
        return new self(
            ($path === '' ? 'The event' : "The value at '".TerminalText::name($path, 300)."'")
                ." cannot be encoded as JSON: {$reason}.",
            $path,
        );
    }

    public static function alreadyThere(string $class): self
    {
        return new self(
            "This {$class} exists in the database. Only new models can be buffered, because an update needs the row.",
        );
    }

    /** Leaves out the message of the exception, because it may contain the secret. */
    public static function notRedacted(string $what, string $how): self
    {
        return new self(
            "The event cannot be redacted: '".TerminalText::name($what, 300)
                ."' {$how}. It was refused and not stored; fix what the bucket's 'redact' option names.",
        );
    }

    private static function show(mixed $key): string
    {
        return match (true) {
            is_string($key) => (string) json_encode(
                substr($key, 0, 80),
                JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE,
            ),
            is_int($key) => (string) $key,
            default => get_debug_type($key),
        };
    }
}
