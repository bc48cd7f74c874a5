<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Exception;
use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

use function strlen;
use function strrpos;
use function substr;

/**
 * The reason why one event is rejected. Other events of its request may be accepted.
 *
 * @internal
 */
final class EventError extends Exception implements Permanent
{
    private const MESSAGE_BYTES = 500;

    private const POINTER_BYTES = 250;

    public readonly string $pointer;

    /** The event as the client sent it. */
    public string $text = '';

    /** @param string $pointer JSON Pointer (RFC 6901) to the wrong member; empty for the event itself */
    private function __construct(public readonly ErrorCode $reason, string $pointer, string $message)
    {
        // Names and values of the client can be as long as an event, and a response can list a hundred errors.
        $this->pointer = strlen($pointer) <= self::POINTER_BYTES
            ? $pointer
            : substr($pointer, 0, (int) strrpos(substr($pointer, 0, self::POINTER_BYTES), '/'));
        parent::__construct(TerminalText::line(
            strlen($message) <= self::MESSAGE_BYTES ? $message : Utf8Cut::cut($message, self::MESSAGE_BYTES).'...',
        ));
    }

    public function withText(string $text): self
    {
        $this->text = $text;

        return $this;
    }

    public static function notJson(string $error): self
    {
        return new self(ErrorCode::NotJson, '', "The event is not JSON ({$error}). Encode it with a JSON encoder.");
    }

    public static function notProtobuf(string $error): self
    {
        return new self(
            ErrorCode::InvalidData,
            '',
            "The log record is not valid Protocol Buffers ({$error}). Encode it with an OpenTelemetry SDK.",
        );
    }

    public static function notUtf8(string $pointer = ''): self
    {
        return new self(
            ErrorCode::NotUtf8,
            $pointer,
            'The event is not UTF-8. Encode it as UTF-8, or send bytes as base64 in data_base64.',
        );
    }

    public static function tooDeep(int $limit): self
    {
        return new self(
            ErrorCode::TooDeep,
            '',
            "The event is nested deeper than {$limit} levels. Flatten it, or send a part as a string.",
        );
    }

    public static function notAnObject(string $seen, string $pointer = ''): self
    {
        return new self(ErrorCode::NotAnObject, $pointer, "The event is {$seen}. It must be a JSON object.");
    }

    public static function duplicateMember(): self
    {
        return new self(
            ErrorCode::DuplicateMember,
            '',
            'The event has two members with the same name. Send each name once.',
        );
    }

    public static function tooManyMembers(int $limit, string $pointer = ''): self
    {
        return new self(
            ErrorCode::TooManyMembers,
            $pointer,
            "The object has more than {$limit} members. Put them into the data of the event.",
        );
    }

    public static function tooLarge(int $bytes, int $limit): self
    {
        return new self(
            ErrorCode::EventTooLarge,
            '',
            "The event has {$bytes} bytes; the limit is {$limit}. Send less data in one event.",
        );
    }

    public static function missing(ErrorCode $code, string $member, string $meaning): self
    {
        return new self($code, "/{$member}", "The event has no {$member}. Add it: {$meaning}.");
    }

    public static function invalid(ErrorCode $code, string $pointer, mixed $seen, string $allowed): self
    {
        return new self($code, $pointer, 'It is '.self::show($seen).". It must be {$allowed}.");
    }

    public static function unknownType(string $type): self
    {
        return new self(
            ErrorCode::UnknownType,
            '/type',
            "The event type '".TerminalText::name($type)
                ."' is not allowed. Add it to collector.intake.types or to collector.intake.schemas.",
        );
    }

    public static function typeNotAllowed(string $type, string $key): self
    {
        return new self(
            ErrorCode::TypeNotAllowed,
            '/type',
            "The key '{$key}' may not send events of type '".TerminalText::name($type)."'. Use a key that may.",
        );
    }

    public static function schema(string $pointer, string $message): self
    {
        return new self(ErrorCode::SchemaMismatch, $pointer, $message);
    }

    private static function show(mixed $value): string
    {
        return match (true) {
            is_string($value) => strlen($value) > 80
                ? 'a string of '.strlen($value)." bytes that begins with '".TerminalText::name($value, 40)."'"
                : "'".TerminalText::name($value)."'",
            is_bool($value) => $value ? 'true' : 'false',
            is_int($value), is_float($value) => "the number {$value}",
            is_array($value) => array_is_list($value) ? 'an array' : 'an object',
            default => 'null',
        };
    }
}
